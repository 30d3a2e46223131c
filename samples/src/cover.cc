/* Templates, constructors of two kinds, exceptions, inlined code. */
#include "cover.h"

static int
drain(base &from)
{
	int sum = 0;

	try {
		for (;;)
			sum += from.take();
	} catch (int) {
		sum = clamp(sum, 0, 40);
	}
	return sum;
}

struct thrice : twice {
	thrice(int n) : base(3 * n), twice(n) {}
};

int
main(int argc, char **argv)
{
	twice two(argc); thrice three(3);
	int by = 2;
	auto half = [&](int n) { return n / by; };
	double d = clamp(half(drain(two)) + .5, 1., 2.);

	return drain(three) > 50 || d < 0 || argv[0] == nullptr;
}
