/*
 * rec.c - recursion, a cycle of two and a cycle of three, loops and switches,
 * without a C library: so that a recording holds this and nothing else.
 */
static volatile unsigned sink = 1; /* not 0: Valgrind wants a data segment */

static unsigned
fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static unsigned pong(unsigned n);

static unsigned
ping(unsigned n)
{
	return n == 0 ? 1 : pong(n - 1) + 1;
}

static unsigned
pong(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
	return n == 0 ? 2 : ping(n - 1) + 2;
}

static unsigned two(unsigned n);
static unsigned three(unsigned n);

static unsigned
one(unsigned n)
{
	return n == 0 ? 0 : two(n - 1) + 1;
}

static unsigned
two(unsigned n)
{
	return n == 0 ? 0 : three(n - 1) + 1;
}

static unsigned
three(unsigned n)
{
	return n == 0 ? 0 : one(n - 1) + one(n / 2);
}

/* A loop with a branch that is taken every other time. */
static unsigned
loop(unsigned n)
{
	unsigned odd = 0;

	for (unsigned i = 0; i < n; i++)
		if ((i ^ sink) & 1)
			odd++;
	return odd;
}

/* Enters the cycles at different places. */
static unsigned
work(unsigned n)
{
	return ping(n) + one(n) + two(n) + loop(n * 8);
}

static __attribute__((noreturn)) void
leave(void)
{
	__asm__ volatile("syscall" : : "a"(231), "D"(0));
	__builtin_unreachable();
}

void _start(void);

__attribute__((force_align_arg_pointer)) void
_start(void)
{
	sink = fib(8);
	for (unsigned i = 1; i < 6; i++)
		sink += work(i);
	sink += pong(9);
	leave();
}
