"""waits.py - threads that wait, for dumps of their stacks."""
import faulthandler
import sys
import threading
import time


class Work:
    def wait(self, event):
        event.wait()


def descend(n, work, event):
    if n > 0:
        descend(n - 1, work, event)
    else:
        work.wait(event)


def main():
    event = threading.Event()
    for n in range(2):
        threading.Thread(target=descend, args=(n, Work(), event),
                         name="worker %d" % n, daemon=True).start()
    faulthandler.dump_traceback_later(0.3, repeat=True)
    end = time.time() + 0.8
    while time.time() < end:
        pass
    faulthandler.cancel_dump_traceback_later()
    list(map(lambda x: faulthandler._sigsegv(), [1]))


main()
