/* Decisions on one line: of an arc that it splits, clang -O1 keeps no count. */
#include <stdio.h>
static int seen;

__attribute__((noinline)) static void
check(int got, int want)
{
	if ((got < 0 && want > 0) || (got > 0 && want < 0)) {
		seen++;
		puts("wrong sign");
	}
	seen += got < 0 ? -got : got;
}

int
main(int argc, char **argv)
{
	(void)argv;
	for (int i = -7; i < 20; i++)
		check(i, i + argc - 1);
	return seen == 0;
}
