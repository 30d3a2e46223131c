/* A program without a library: two processes, calls, page faults. */
static long
call(long number, long a, long b)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(0L)
			 : "rcx", "r11", "memory");
	return result;
}

static char room[64 * 4096];

__attribute__((noinline)) static long
spin(long n)
{
	volatile long sum = 0;

	for (long i = 0; i < n; i++)
		sum += i;
	return sum;
}

static inline __attribute__((always_inline)) long
twice(long n)
{
	return spin(n) + spin(n);
}

__attribute__((noinline)) static long
down(int depth, long n)
{
	return depth > 0 ? down(depth - 1, n) + spin(n / 8) : twice(n);
}

__attribute__((noinline)) static long
touch(void)
{
	long sum = 0;

	for (unsigned long i = 0; i < sizeof(room); i += 4096)
		sum += room[i]++;
	return sum;
}

void
_start(void)
{
	long child = call(57, 0, 0); /* fork */

	if (child == 0)
		(void)call(157, 15, (long)"child one"); /* prctl: a name */
	(void)touch();
	(void)down(child == 0 ? 1 : 3, 20000000);
	if (child != 0)
		(void)call(61, child, 0); /* wait4 */
	(void)call(60, 0, 0); /* exit */
}
