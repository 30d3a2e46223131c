/* Loops on one line, a switch, goto, calls that do not return. */
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;

static void
jump(int n)
{
	if (n > 3)
		longjmp(back, n);
}

static int
oneline(int n)
{
	int s = 0, i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			s += j & 1 ? j : -j;
	return s;
}

static int
ranges(int n)
{
	switch (n) {
	case 1 ... 5: return 1;
	case 7:
	case 9:
		n++;
		/* fall through */
	default: return n > 100 && n < 200 ? 3 : 2;
	}
}

static int
again(int n)
{
	int done = 0;

more:
	if (++done < n)
		goto more;
	return done;
}

int
unused(int n)
{
	if (n)
		abort();
	return 0;
}

int
main(void)
{
	int (*calls[])(int) = { oneline, ranges, again };
	int sum = 0;

	for (int i = 0; i < 12; i++)
		sum += calls[i % 3](i);
	for (volatile int i = 0; setjmp(back) < 4; i++)
		jump(i);
	exit(sum == 0);
}
