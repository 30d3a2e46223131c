/*
 * inline.cc - for gprof: C++ names, and time in inlined functions only.
 */
static volatile unsigned long sink;

static inline __attribute__((always_inline)) void
mix(unsigned long i)
{
	sink += i ^ (sink >> 3);
}

namespace store {
template <typename T> struct Queue {
	T value;
	__attribute__((noinline)) void
	push(T n)
	{
		for (T i = 0; i < n; i++)
			mix(i);
		value += n;
	}
	__attribute__((noinline)) T operator()() const
	{
		return value * 2;
	}
};
} // namespace store

/* No clone of it: gprof gives calls of clones to other functions. */
static __attribute__((noipa)) void
fill(store::Queue<unsigned long> &queue, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		queue.push(3000000);
		sink += queue();
	}
}

int
main()
{
	store::Queue<unsigned long> queue = { 0 };

	fill(queue, 150);
	return 0;
}
