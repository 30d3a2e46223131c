/* What several units share. */
template <typename T> T
clamp(T value, T low, T high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

struct base {
	base(int n) : left(n) {}
	virtual ~base() {}
	virtual int take() { return left > 0 ? left-- : throw left; }
	int left;
};

struct twice : virtual base {
	twice(int n) : base(2 * n) {}
	int never() { return -1; }
};
