/*
 * calls.c - a program for gprof: time that is spent in known places. Who is
 * called by several callers, who by none, and who never.
 */
#include <stdlib.h>

static volatile unsigned long sink;

static void
burn(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i ^ (sink >> 3);
}

static void
leaf(unsigned long n)
{
	burn(n);
	for (unsigned long i = 0; i < n / 2; i++)
		sink ^= i;
}

static void
light(void)
{
	for (int i = 0; i < 10; i++)
		leaf(400000);
}

static void
heavy(void)
{
	for (int i = 0; i < 30; i++)
		leaf(1000000);
	burn(20000000);
}

void never_called(void);

void
never_called(void)
{
	burn(1);
}

int
main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 4;

	for (unsigned long i = 0; i < rounds; i++) {
		light();
		heavy();
	}
	return 0;
}
