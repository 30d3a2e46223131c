/* grab.c - time and allocations by caller, with recursion, for profilers. */
#include <stdlib.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void
spin(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}

__attribute__((noinline)) static void *
grab(size_t n)
{
	return malloc(n);
}

__attribute__((noinline)) static void
again(int depth)
{
	spin(20000000);
	if (depth > 0)
		again(depth - 1);
	sink++;
}

__attribute__((noinline)) static void
left(void)
{
	for (int i = 0; i < 50; i++)
		free(grab(100));
	again(2);
}

__attribute__((noinline)) static void
right(void)
{
	sink += grab(4000) != NULL;
	spin(30000000);
	left();
}

int
main(void)
{
	for (int i = 0; i < 3; i++) {
		left();
		right();
	}
	return 0;
}
