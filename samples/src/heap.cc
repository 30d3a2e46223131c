// heap.cc - what heap profilers see: inlined callers, recursion, a leak.
#include <cstdlib>
#include <vector>

namespace {
struct Tree {
	Tree *left = nullptr, *right = nullptr;
	explicit Tree(int depth)
	{
		if (depth > 0) {
			left = new Tree(depth - 1);
			right = new Tree(depth - 1);
		}
	}
	~Tree()
	{
		delete left;
		delete right;
	}
};
}

static inline std::vector<int>
fill(int n)
{
	std::vector<int> all;

	for (int i = 0; i < n; i++)
		all.push_back(i);
	return all;
}

__attribute__((noinline)) static void
leak(int n)
{
	for (int i = 0; i < n; i++) {
		char *volatile lost = static_cast<char *>(malloc(100));

		lost[0] = 1;
		lost = nullptr;
	}
}

int
main()
{
	std::vector<int> big = fill(100000);
	Tree tree(6);

	leak(5);
	return big[7] == 7 ? 0 : 1;
}
