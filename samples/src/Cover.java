package demo;

/** Branches, a switch, an overload, a lambda and an inner class; not all run. */
public class Cover {
	private final int[] items = new int[4];
	private int count;

	boolean push(int item) {
		if (count == items.length)
			return false;
		items[count++] = item;
		return true;
	}

	boolean push(String text) {
		return text != null && !text.isEmpty() && push(text.length());
	}

	static String name(int n) {
		switch (n) {
		case 1:
			return "one";
		case 2:
			return "two";
		default:
			return "many";
		}
	}

	int sum() {
		Adder adder = new Adder();

		for (int i = 0; i < count; i++)
			adder.add(items[i]);
		return adder.sum;
	}

	void never() {
		Runnable r = () -> {
			System.out.println(sum());
		};
		r.run();
	}

	static class Adder {
		int sum;

		void add(int n) {
			sum += n > 0 ? n : -n;
		}
	}

	public static void main(String[] args) {
		Cover cover = new Cover();

		cover.push(3);
		cover.push("four");
		cover.push((String)null);
		System.out.println(cover.sum() + " " + name(args.length + 2));
	}
}
