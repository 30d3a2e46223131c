import functools

class A:
    def __init__(self): self.x = fib(12)
    def run(self): return sum(map(lambda v: v * v, range(200)))

class B:
    def __init__(self): self.x = fib(10)
    def run(self): return sorted((v for v in range(100)), key=lambda v: -v)

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def even(n): return n == 0 or odd(n - 1)
def odd(n): return n != 0 and even(n - 1)

def main():
    for cls in (A, B):
        cls().run()
    even(40)
    functools.reduce(max, [3, 1, 2])

main()
