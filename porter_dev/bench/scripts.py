"""Time the benchmarks in CPU reference interpreters: CPython and upstream MicroPython."""

from __future__ import annotations

import sys

from attrs import Factory, field, frozen

from porter_dev.bench.catalogue import PROGRAMS, Benchmark
from porter_dev.bench.figures import Figure
from porter_dev.bench.oracle import check_text
from porter_dev.bench.together import together

DRIVER = PROGRAMS / "driver.py"
SAMPLE = 0.1  # minimum duration of a repetition, in seconds


@frozen
class Python:
    """A reference interpreter that runs programs/driver.py.

    Attributes:
        name: Short name.
        about: Description for the report.
        command: Command line without the driver.
        roomy: Command line with a heap large enough for programs with much data.
    """

    name: str
    about: str
    command: tuple[str, ...]
    roomy: tuple[str, ...] = field(default=Factory(lambda self: self.command, takes_self=True))


def cpython() -> Python:
    """Return the CPython that executes this process."""
    version = sys.version.split()[0]
    return Python("CPython", f"CPython {version}", (sys.executable, "-IS"))


@frozen
class Reference:
    """Seconds that a reference needs for the work of n interpreters.

    Attributes:
        figure: Seconds, scaled from the sample to n interpreters.
        sample: Interpreters whose work was timed.
        processes: Processes that shared the work.
    """

    figure: Figure
    sample: int
    processes: int = 1


def measure(
    python: Python, benchmark: Benchmark, n: int, repeat: int, processes: int = 1
) -> Reference:
    """Time the work of `n` interpreters on `processes` cores.

    If n is large, a sample is timed and scaled. The sample per process is the work of at least one
    period of the benchmark and takes about SAMPLE seconds. Its output is checked.

    Args:
        python: Reference interpreter.
        benchmark: Program to run.
        n: Interpreters whose work is to be done.
        repeat: Repetitions.
        processes: Processes that run at the same time.

    Raises:
        ToolFailed: The reference interpreter fails.
        BenchFailed: Its output differs from CPython's.
    """
    most = max(1, n // processes)
    count = min(benchmark.period, most)
    while True:
        tried = _run(python, benchmark, n, count, 1, 1)[0]
        if tried >= SAMPLE / 2 or count == most:
            break
        count = min(most, max(2 * count, int(count * SAMPLE / max(tried, 1e-6))))
    seconds = _run(python, benchmark, n, count, repeat, processes)
    sample = count * processes
    return Reference(Figure.of(seconds).scaled(n / sample), sample, processes)


def _run(
    python: Python, benchmark: Benchmark, total: int, count: int, repeat: int, processes: int
) -> list[float]:
    """Return the duration of each repetition in seconds: that of the slowest process."""
    setup = "-" if benchmark.setup_path is None else str(benchmark.setup_path)
    start = python.command if benchmark.setup is None else python.roomy
    commands = []
    for i in range(processes):
        words = (i * count, count, total, repeat)
        commands.append([*start, str(DRIVER), str(benchmark.path), setup, *map(str, words)])
    seconds, outputs = together(commands, repeat)
    for i, output in enumerate(outputs):
        check_text(benchmark, output, i * count, count, repeat, python.about)
    return seconds
