// scratch.cc - allocations of three callers: kept, freed at once, of a vector.
#include <cstdlib>
#include <vector>

static void *kept[8];

__attribute__((noinline)) static void *
take(unsigned size)
{
	return malloc(size);
}

__attribute__((noinline)) static void
keep()
{
	for (int i = 0; i < 3; i++)
		kept[i] = take(100);
}

__attribute__((noinline)) static void
scratch()
{
	std::vector<int> all;

	for (int i = 0; i < 5; i++)
		free(take(16));
	for (int i = 0; i < 20; i++)
		all.push_back(i);
}

int
main()
{
	keep();
	scratch();
	scratch();
	kept[7] = take(100000);
	free(kept[0]);
	return 0;
}
