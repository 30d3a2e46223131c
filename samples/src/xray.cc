// xray.cc - functions that are called from two places, in two threads.
#include <thread>

#define TRACED [[clang::xray_always_instrument]] __attribute__((noinline))

static volatile unsigned long sink;

TRACED void
spin(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink = sink + i * i;
}

TRACED int
fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

TRACED void
left()
{
	spin(60000);
	sink = sink + fib(6);
}

TRACED void
right()
{
	spin(20000);
	left();
}

TRACED int
main()
{
	std::thread other(left);

	for (int i = 0; i < 3; i++)
		right();
	left();
	other.join();
	return 0;
}
