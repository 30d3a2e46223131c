/* waits.cc - threads that wait, for dumps of their stacks. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include <functional>
#include <string>

template <typename T> struct box {
	T value;
	bool operator()(const char *text, T limit) const;
	__attribute__((noinline)) bool operator<(const box &other) const;
};

static volatile int done;

static inline __attribute__((always_inline)) void
doze(unsigned seconds)
{
	while (!done)
		sleep(seconds);
}

template <typename T> __attribute__((noinline)) bool
box<T>::operator()(const char *, T limit) const
{
	doze(600);
	return limit < value;
}

template <typename T> bool
box<T>::operator<(const box &other) const
{
	return (*this)("a) at b.c:1, \"x\" (", other.value);
}

namespace {
__attribute__((noinline)) int
recurse(int depth, const std::function<bool(int)> &call)
{
	return depth > 0 ? recurse(depth - 1, call) + 1 : call(depth);
}
}

static void *
run(void *arg)
{
	pthread_setname_np(pthread_self(), (const char *)arg);
	return (void *)(long)recurse(2, [](int x) {
		box<int> a{ x }, b{ ')' };
		return a < b;
	});
}

static void
on_alarm(int)
{
	pause();
}

int
main()
{
	pthread_t thread[2];
	char name[2][16] = { "worker one", "it's \"2\"" };

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, run, name[i]);
	signal(SIGALRM, on_alarm);
	alarm(1);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
