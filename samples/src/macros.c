/* Macros, skipped lines, wrapped regions, conditions. */
#include <stdio.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define INSIDE(x, low, high) (MIN(x, low) == (low) && MIN(x, high) == (x))

static int
classify(int n, int low,
    int high)
{
	while (1) {
		if (INSIDE(n, low, high) && n != 7)
			return 1;
#if 0
		puts("never compiled");
#endif
		if (n < 0 || (n > 100 &&
		    n % 2 == 0))
			return 2; else return MIN(n,
			    3);
	}
}

static const char text[] =
    "one"
    "two";

static int
table(int n)
{
	switch (n) {
	case 1: case 2:
		n++;
		/* falls through */
	case 3: return n;
	default: break;
	}
	for (int i = 0; i < n; i++) { if (i == 3) continue;
		if (i == 5) break; }
	return n ? 1 : 0; }

int
main(void)
{
	int sum = 0;
	for (int i = -3; i < 10; i++) sum += classify(i, 2, 8) + table(i);
	do { sum--; } while (sum > 20);
	printf("%d %s\n", sum, text);
	if (0) { puts("x"); }
	return 0;
}
