/* Waits.java - threads that wait, lock and run, for dumps of their stacks. */
import java.util.concurrent.*;

public class Waits {
	static final Object lock = new Object();
	static volatile long sum;

	interface Work { void run(int n) throws Exception; }

	static void descend(int n, Work work) throws Exception {
		if (n > 0)
			descend(n - 1, work);
		else
			work.run(n);
	}

	static Thread start(String name, Work work) {
		Thread thread = new Thread(() -> {
			try {
				descend(2, work);
			} catch (Exception e) {
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	public static void main(String[] args) throws Exception {
		start("holder-1", n -> { synchronized (lock) { Thread.sleep(600000); } });
		Thread.sleep(200);
		start("blocked \"b\"", n -> { synchronized (lock) { sum++; } });
		start("parked", n -> new ArrayBlockingQueue<Integer>(1).take());
		start("spinner", n -> { while (true) sum += 3; });
		Executors.newFixedThreadPool(1).submit(() -> sum++);
		Thread.sleep(600000);
	}
}
