/*
 * names.cc - C++ names of many shapes, without any library.
 */
extern "C" void _start();

static volatile int sink;

namespace {
struct Hidden {
	int run(int n) const { return n > 0 ? run(n - 1) + 1 : 0; }
};
} // namespace

namespace outer {
namespace inner {
template <typename T, int N> struct Box {
	T value[N];
	T &operator[](int i) { return value[i]; }
	T operator()(T by) const
	{
		T sum = 0;
		for (int i = 0; i < N; i++)
			sum += value[i] * by;
		return sum;
	}
	operator bool() const { return value[0] != 0; }
};
} // namespace inner

struct Shape {
	virtual long area(long scale) const = 0;
};
struct Square : Shape {
	long side;
	explicit Square(long s) : side(s) {}
	long area(long scale) const override { return side * side * scale; }
};
} // namespace outer

template <typename F> static int
apply(F f, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += f(i);
	return sum;
}

static bool
operator<(const outer::Square &a, const outer::Square &b)
{
	return a.side < b.side;
}

extern "C" void __cxa_pure_virtual();
void __cxa_pure_virtual() {}

__attribute__((force_align_arg_pointer)) void
_start()
{
	outer::inner::Box<int, 4> box = { { 1, 2, 3, 4 } };
	outer::Square a(3), b(4);
	const outer::Shape *volatile shape = &a;

	box[2] = 7;
	sink = box(2) + (box ? 1 : 0) + Hidden().run(5);
	sink += (int)shape->area(2) + (a < b);
	sink += apply([&](int i) { return i * box[1]; }, 5);
	__asm__ volatile("syscall" : : "a"(231), "D"(0));
}
