"""flame.py - busy functions and methods, for pyinstrument."""
import time


class Work:
    def spin(self, seconds):
        end = time.time() + seconds
        while time.time() < end:
            pass

    @classmethod
    def make(cls):
        return cls()


def recurse(n):
    if n > 0:
        recurse(n - 1)
    Work().spin(0.01)


def main():
    recurse(3)
    Work.make().spin(0.02)
    time.sleep(0.02)
    end = time.time() + 0.03
    while time.time() < end:
        pass


main()
