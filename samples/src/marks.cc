/* Exclusion markers of lcov and gcovr, and lines that the tools count apart. */
#include <stdio.h>
#include <string>

static std::string words = "static initialization";

template <class T>
static T
clip(T value, T low, T high)
{
	if (value < low) // LCOV_EXCL_BR_LINE
		return low; // LCOV_EXCL_LINE
	return value > high ? high : value;
}

static int
check(int n)
{
	if (n > 40) // GCOVR_EXCL_BR_LINE
		throw n;
	if (n > 30)
		throw std::string("thirty"); // LCOV_EXCL_EXCEPTION_BR_LINE
	return n; // XCOV_EXCL_LINE
}

static int
never(int n) // GCOV_EXCL_LINE
{
	return n ? 1 : 2; // GCOVR_EXCL_LINE
}

/* LCOV_EXCL_START */
static int
unused(int n)
{
	return n ? 3 : 4;
} /* LCOV_EXCL_STOP */

// GCOVR_EXCL_START
static int
hidden(int n)
{
	if (n > 2)
		n--;
	return n;
}
// GCOVR_EXCL_STOP

static void
ends(bool stop)
{
	std::string text = "a destructor at the brace";

	if (stop) {
		puts("stop"); // LCOV_EXCL_LINE
	}
	else
	{
		if (text.size() > 100)
		{
			puts("long"); // GCOV_EXCL_LINE
		}
	} // LCOV_EXCL_BR_LINE
}

int
main(int argc, char **)
{
	int sum = 0;

	for (int i = 0; i < 20; i++) {
		try {
			sum += check(i + argc) + clip(i, 3, 9);
		} catch (int n) { // LCOV_EXCL_START
			sum += never(n);
		} // LCOV_EXCL_STOP
		// LCOV_EXCL_BR_START
		sum += i & 1 ? hidden(i) : 1;
		sum += i & 2 ? 2 : i & 4;
		// LCOV_EXCL_BR_STOP
		// LCOV_EXCL_EXCEPTION_BR_START
		std::string one = words + "!";
		// LCOV_EXCL_EXCEPTION_BR_STOP
		if (i > 100) // GCOVR_EXCL_BR_START
			sum += unused(i);
		// GCOVR_EXCL_BR_STOP
	}
	ends(sum == 0);
	sum += (int)clip(1.5, 0.5, 1.0) + (words.empty() ? 1 : 0); // GCOV_EXCL_BR_LINE
	printf("%d\n", sum);
	return sum > 100000 ? 1 : 0; // LCOV_EXCL_BR_LINE GCOVR_EXCL_BR_LINE
}
