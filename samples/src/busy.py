import threading, zlib
def spin(n):
    s = 0
    for i in range(n):
        s += i % 7
    return s
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
class Work:
    def run(self):
        return spin(100000) + fib(12) + self.pack()
    def pack(self):
        return len(zlib.compress(b'abcdefgh' * 40000))
def main():
    w = Work()
    for _ in range(20):
        w.run()
