package demo;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;

/** Recursion, overloads, a lambda, allocations, locks, parks and sleeps. */
public class Work {
	static final Object LOCK = new Object();
	static volatile Object keep;
	static volatile long sink;

	static long fib(long n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static long mix(long x) {
		for (int i = 0; i < 500000; i++)
			x = x * 31 + (x >>> 7);
		return x;
	}

	static long mix(String s) {
		keep = s.toCharArray();
		return mix(s.length());
	}

	static void allocate(int n) {
		for (int i = 0; i < n; i++)
			keep = new int[100000 + i];
	}

	static void locked(long ms) throws InterruptedException {
		synchronized (LOCK) {
			Thread.sleep(ms);
		}
	}

	static long deep(int n, LongUnaryOperator f) {
		return n == 0 ? f.applyAsLong(28) : deep(n - 1, f) + 1;
	}

	static class Inner {
		void run(long end) {
			try {
				while (System.currentTimeMillis() < end) {
					sink += deep(3, x -> fib(x)) + mix(5) + mix("text");
					allocate(20);
					locked(30);
					LockSupport.parkNanos(8000000);
				}
			} catch (InterruptedException e) {
				sink++;
			}
		}
	}

	public static void main(String[] args) throws InterruptedException {
		long end = System.currentTimeMillis() + Long.parseLong(args[0]);
		Thread other = new Thread(() -> new Inner().run(end), "größe");

		other.start();
		new Inner().run(end);
		other.join();
	}
}
