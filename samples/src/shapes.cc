#include "area.h"

extern "C" int puts(const char *);

struct Shape {
	virtual int area() const = 0;
	virtual ~Shape() {}
};

struct Square : Shape {
	int side;
	Square(int s) : side(s) {}
	int area() const override { return side * side; }
};

static int
check(int side)
{
	if (side < 0)
		throw side;
	return side;
}

static int
never(int n)
{
	return n > 3 ? n : 3;
}

int
main(int argc, char **)
{
	int sum = 0;

	for (int i = 3; i >= -1; i--) {
		try {
			Square square(check(i));
			sum += larger<int>(square.area(), 4);
			sum += (int)larger<long>(i, 2);
		} catch (int side) {
			sum += side;
		}
	}
	auto odd = [](int n) { return n & 1 && n > 2; };
	if (odd(sum) || argc > 5)
		puts("odd");
	else if (argc > 9)
		return never(sum);
	return 0;
}
