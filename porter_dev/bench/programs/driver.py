"""Run one program for k interpreters in turn, in CPython or MicroPython, and time it.

    driver.py PROGRAM SETUP FIRST COUNT TOTAL REPEAT

porter_dev/bench/cpu_references.py starts this file in CPython and in MicroPython, so it uses only what both
support. SETUP is a program whose globals all programs see, or `-`. If it defines
reset(first, count), the driver calls that function before each repetition; it writes the result of
report(first, count) to stdout afterwards. Before each repetition the driver writes "ready" to
stderr and waits for a line on stdin. Afterwards it writes the elapsed nanoseconds to stderr. The
programs' output goes to stdout.
"""

import sys
import time

if hasattr(time, "perf_counter_ns"):
    clock = time.perf_counter_ns
else:  # MicroPython

    def clock():
        """Return nanoseconds since an arbitrary moment."""
        return time.ticks_us() * 1000


def read(path):
    """Return the text of a file."""
    with open(path) as file:
        return file.read()


def shared(setup, total):
    """Return the globals that all programs start with."""
    names = {"numThreads": total}
    if setup != "-":
        exec(compile(read(setup), setup, "exec"), names)
    names["__name__"] = "__main__"
    return names


def main():
    """Run the program that the command line names."""
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
