"""Does k interpreters' work one after the other, in CPython or MicroPython, and times it.

    driver.py PROGRAM SETUP FIRST COUNT TOTAL REPEAT

Started by porter/bench/scripts.py and by MicroPython, so it keeps to what both have. SETUP is a
program whose globals all others see, or `-`; its reset(first, count) is called before each
repetition, and what its report(first, count) returns is written to stdout after it. Before each
repetition this writes "ready" to stderr and waits for a line on stdin, and afterwards it writes
the nanoseconds that it took. What programs print goes to stdout.
"""

import sys
import time

if hasattr(time, "perf_counter_ns"):
    clock = time.perf_counter_ns
else:  # MicroPython

    def clock():
        """Nanoseconds since some moment."""
        return time.ticks_us() * 1000


def read(path):
    """The text of a file."""
    with open(path) as file:
        return file.read()


def shared(setup, total):
    """What all interpreters' programs see."""
    names = {"numThreads": total}
    if setup != "-":
        exec(compile(read(setup), setup, "exec"), names)
    names["__name__"] = "__main__"
    return names


def main():
    """See above."""
    program, setup = sys.argv[1:3]
    first, count, total, repeat = [int(word) for word in sys.argv[3:7]]
    code = compile(read(program), program, "exec")
    names = shared(setup, total)
    for _ in range(repeat):
        if "reset" in names:
            names["reset"](first, count)
        sys.stderr.write("ready\n")
        sys.stdin.readline()
        start = clock()
        for index in range(first, first + count):
            own = dict(names)
            own["threadIdx"] = index
            exec(code, own)
        elapsed = clock() - start
        if "report" in names:
            sys.stdout.write(names["report"](first, count))
        sys.stderr.write("%d\n" % elapsed)


main()
