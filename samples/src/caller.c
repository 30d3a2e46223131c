/* Calls into another unit, directly and not; one that is local there. */
int once(int);
int often(int);
int helper(int);

static int
local(int n)
{
	return n + 1;
}

int
main(void)
{
	int (*calls[])(int) = { once, often, often };
	int sum = 0;

	for (int i = 0; i < 9; i++)
		sum += calls[i % 3](i);
	sum += once(2);
	for (int i = 0; i < 4; i++)
		sum += often(i);
	sum += local(local(3));
	sum += once(local(1));
	return sum == 0;
}
