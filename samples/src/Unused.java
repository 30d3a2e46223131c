package demo;

class Unused {
	int twice(int n) {
		return 2 * n;
	}
}
