/*
 * stacks.cc - for profilers that take call stacks: recursion, a cycle, C++
 * names with blanks, in anonymous namespaces and templates, inlined functions,
 * two threads, memory that is touched for the first time.
 */
#include <cstdlib>
#include <cstring>
#include <thread>

static volatile unsigned long sink;

static inline __attribute__((always_inline)) void
mix(unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++)
		sink = sink * 3 + i;
}

namespace
{
struct Walk {
	unsigned long depth;
	__attribute__((noinline)) void
	run(unsigned long rounds)
	{
		mix(rounds);
		if (depth-- > 0)
			run(rounds / 2);
	}
};
} // namespace

template <typename Key, typename Value> struct Table {
	Value value;
	__attribute__((noinline)) Value
	operator()(Key key, void (*each)(unsigned long))
	{
		each(key);
		return value += key;
	}
};

static __attribute__((noinline)) void
fill(unsigned long rounds)
{
	char *room = static_cast<char *>(malloc(1 << 20));

	memset(room, static_cast<int>(rounds), 1 << 20);
	sink += static_cast<unsigned long>(room[77]);
	mix(rounds / 4);
	free(room);
}

static __attribute__((noinline)) void
walk(unsigned long rounds)
{
	Walk it = { 3 };

	it.run(rounds);
}

int
main(int argc, char **argv)
{
	unsigned long rounds = 1000 * (argc > 1 ? strtoul(argv[1], nullptr, 10)
						: 100);
	Table<unsigned long, unsigned long> table = { 0 };
	std::thread other(walk, rounds);

	for (int i = 0; i < 4; i++) {
		table(rounds / 4, fill);
		table(rounds / 4, walk);
	}
	other.join();
	return 0;
}
