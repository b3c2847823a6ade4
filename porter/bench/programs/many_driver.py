"""Compiles and runs many programs one after the other, in CPython or MicroPython, and times it.

    many_driver.py LIST TOTAL REPEAT

Started by porter/bench/many.py and by MicroPython, so it keeps to what both have. LIST is JSON: for
each program its text and the interpreters that run it. Compiling each program once counts. Before
each repetition this writes "ready" to stderr and waits for a line on stdin, and afterwards it
writes the nanoseconds that it took. What programs print goes to stdout.
"""

import json
import sys
import time

if hasattr(time, "perf_counter_ns"):
    clock = time.perf_counter_ns
else:  # MicroPython

    def clock():
        """Nanoseconds since some moment."""
        return time.ticks_us() * 1000


def main():
    """See above."""
    with open(sys.argv[1]) as file:
        programs = json.load(file)
    total, repeat = int(sys.argv[2]), int(sys.argv[3])
    for _ in range(repeat):
        sys.stderr.write("ready\n")
        sys.stdin.readline()
        start = clock()
        for text, indices in programs:
            code = compile(text, "<candidate>", "exec")
            for index in indices:
                names = {"__name__": "__main__", "threadIdx": index, "numThreads": total}
                exec(code, names)
        elapsed = clock() - start
        sys.stderr.write("%d\n" % elapsed)


main()
