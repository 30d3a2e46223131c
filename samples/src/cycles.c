/*
 * cycles.c - for gprof: self recursion, a cycle of two, and a cycle of three
 * that two callers enter at different places.
 */
static volatile unsigned long sink;

static void
burn(unsigned long n)
{
	for (unsigned long i = 0; i < 15 * n; i++)
		sink += i ^ (sink >> 3);
}

static unsigned
fib(unsigned n)
{
	burn(20);
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void pong(unsigned n);

static void
ping(unsigned n)
{
	burn(200000);
	if (n > 0)
		pong(n - 1);
}

static void
pong(unsigned n)
{
	burn(100000);
	if (n > 0)
		ping(n - 1);
}

static void two(unsigned n);
static void three(unsigned n);

static void
one(unsigned n)
{
	burn(150000);
	if (n > 0)
		two(n - 1);
}

static void
two(unsigned n)
{
	burn(250000);
	if (n > 0)
		three(n - 1);
}

static void
three(unsigned n)
{
	burn(50000);
	if (n > 0)
		one(n - 1);
}

static void
left(void)
{
	for (int i = 0; i < 5; i++)
		one(20);
}

static void
right(void)
{
	for (int i = 0; i < 4; i++)
		three(15);
}

int
main(void)
{
	sink = fib(22);
	ping(80);
	left();
	right();
	return 0;
}
