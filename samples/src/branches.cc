/* Two instances of a template, decisions, an exception, what never runs. */
template <class T>
static T
clip(T value, T low, T high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

static int
check(int n)
{
	if (n > 40 || (n & 7) == 7)
		throw n;
	return n;
}

static int
never(int n)
{
	return n ? 1 : 2;
}

int
main(int argc, char **)
{
	long sum = 0;

	for (int i = 0; i < 50; i++) {
		try {
			sum += clip(check(i), 3, 30);
		} catch (int n) {
			sum -= clip<long>(n, argc, 20);
		}
	}
	while (sum > 1000 && argc < 9) sum -= 2;
	if (sum < 0)
		sum = never(argc);
	return sum == 12345;
}
