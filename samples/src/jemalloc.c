/* jemalloc.c - allocates in two functions and in two threads, for jemalloc. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *kept[4096];
static int n;

__attribute__((noinline)) static void
small(int count)
{
	for (int i = 0; i < count; i++) {
		kept[n] = malloc(48);
		memset(kept[n++], 1, 48);
	}
}

__attribute__((noinline)) static void
large(int count)
{
	for (int i = 0; i < count; i++) {
		kept[n] = malloc(3000);
		memset(kept[n++], 1, 3000);
	}
}

__attribute__((noinline)) static void *
work(void *arg)
{
	int first = n;

	small(600);
	large(200);
	for (int i = first; i < first + 300; i++)
		free(kept[i]);
	return arg;
}

int
main(void)
{
	pthread_t thread;

	work(NULL);
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return 0;
}
