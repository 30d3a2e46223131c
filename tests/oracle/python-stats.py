#!/usr/bin/python3
"""tests/oracle/python-stats.py FILE - prints a profile as read by Python's
pstats module, in the format of tests/oracle/graph.pl, without calls from unknown
callers. Calls counted by profile.py have the cost -."""
import pstats
import sys


def name(function):
    file, line, name = function
    return '%s:%d:%s' % ('(built-in)' if file == '~' else file, line, name)


def ns(seconds):
    return int(seconds * 1e9 + 0.5)


lines = []
for function, row in pstats.Stats(sys.argv[1]).stats.items():
    _, _, self, inclusive, callers = row
    lines.append(('function', name(function), ns(self), ns(inclusive)))
    for caller, call in callers.items():
        count, cost = call, '-'
        if isinstance(call, tuple):
            count, _, _, cost = call
            cost = ns(cost)
        lines.append(('call', name(caller), name(function), count, cost))
for line in sorted('\t'.join(map(str, line)) for line in lines):
    print(line)
