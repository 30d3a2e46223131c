// work.d - calls and recursion, for D's trace.log.
import std.algorithm;
import std.array;

int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

bool even(int n)
{
    return n == 0 ? true : odd(n - 1);
}

bool odd(int n)
{
    return n == 0 ? false : even(n - 1);
}

struct Work(T)
{
    T sum;
    void run(T n)
    {
        foreach (i; 0 .. n)
            sum += fib(i);
    }
}

void main()
{
    Work!int work;

    work.run(15);
    even(20);
    int[] numbers = [3, 1, 4, 1, 5, 9, 2, 6];
    numbers.sort();
    work.sum += numbers.map!(n => n * n).filter!(n => n % 2 == 1).array.length;
}
