/*
 * threads.c - three threads that do different amounts of the same work.
 */
#include <pthread.h>
#include <stddef.h>

static volatile unsigned sink[3];

static unsigned
step(unsigned n)
{
	return n * 2654435761u >> 7;
}

static unsigned
work(unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += step(i);
	return sum;
}

static void *
run(void *arg)
{
	volatile unsigned *to = arg;

	*to = work(100u * (unsigned)(to - sink + 1));
	return NULL;
}

int
main(void)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(thread + i, NULL, run, (void *)(sink + i));
	run((void *)(sink + 2));
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
