"""Compile and run many programs in turn, in CPython or MicroPython, and time it.

    many_driver.py LIST TOTAL REPEAT

porter_dev/bench/many.py starts this file in CPython and in MicroPython, so it uses only what both
support. LIST is a JSON file: for each program, its text and the interpreters that run it. The time
includes compiling each program once. Before each repetition the driver writes "ready" to stderr and
waits for a line on stdin. Afterwards it writes the elapsed nanoseconds to stderr. The programs'
output goes to stdout.
"""

import json
import sys
import time

if hasattr(time, "perf_counter_ns"):
    clock = time.perf_counter_ns
else:  # MicroPython

    def clock():
        """Return nanoseconds since an arbitrary moment."""
        return time.ticks_us() * 1000


def main():
    """Run the programs that the command line names."""
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
