/* heap.c - allocates in ways that a heap profile tells apart. */
#include <stdlib.h>
#include <string.h>

static inline void *
get(size_t size)
{
	void *at = malloc(size);

	if (at)
		memset(at, 1, size);
	return at;
}

void *kept[300];

static void
leak(int n)
{
	if (n == 0)
		return;
	kept[n] = get(1000);
	leak(n - 1);
}

static void
churn(int n)
{
	while (n-- > 0)
		free(get(5000));
}

static unsigned long
spin(unsigned long n)
{
	unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++)
		sum = sum * 31 + (i ^ sum >> 7);
	return sum;
}

static unsigned long
twice(unsigned long n)
{
	return spin(n) + spin(n / 2);
}

int
main(void)
{
	volatile unsigned long sum = 0;

	for (int i = 0; i < 10; i++)
		sum += twice(20000000);
	leak(3);
	churn(5);
	for (int i = 0; i < 200; i++)
		kept[i + 50] = get(300);
	return 0;
}
