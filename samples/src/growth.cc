// growth.cc - tcmalloc's samples of the heap and its growth, as text.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <gperftools/malloc_extension.h>

void *kept[64];

__attribute__((noinline)) static void
grow(int n)
{
	if (n == 0)
		return;
	kept[n] = malloc(100000 * n);
	memset(kept[n], 1, 100000 * n);
	grow(n - 1);
}

static void
write(const char *name, const std::string &text)
{
	FILE *f = fopen(name, "w");

	fwrite(text.data(), 1, text.size(), f);
	fclose(f);
}

int
main()
{
	std::string heap, growth;

	grow(4);
	grow(20);
	MallocExtension::instance()->GetHeapSample(&heap);
	MallocExtension::instance()->GetHeapGrowthStacks(&growth);
	write("sampled.heap", heap);
	write("growth.heap", growth);
}
