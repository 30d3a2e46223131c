# exec runs outer(), which calls exec again: the inner call is in the outer one.
import cProfile


def inner():
    return sum(range(3000))


def outer():
    for _ in range(3):
        exec('inner()', {'inner': inner})


recorder = cProfile.Profile()
recorder.enable()
exec('outer()')
recorder.disable()
recorder.dump_stats('nested.pstats')
