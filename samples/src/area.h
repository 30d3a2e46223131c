template <typename T>
inline T
larger(T a, T b)
{
	if (a > b)
		return a;
	return b;
}
