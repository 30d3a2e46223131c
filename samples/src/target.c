/* What caller.c calls. */
static int
helper(int n)
{
	return n * 2;
}

int
once(int n)
{
	return helper(n);
}

int
often(int n)
{
	return n > 3 ? n : helper(n) + helper(1);
}
