"""The same programs in a Python of this machine's processor: CPython, upstream MicroPython."""

from __future__ import annotations

import sys

from attrs import Factory, field, frozen

from porter.bench.catalogue import PROGRAMS, Benchmark
from porter.bench.figures import Figure
from porter.bench.oracle import check_text
from porter.bench.together import together

DRIVER = PROGRAMS / "driver.py"
SAMPLE = 0.1  # seconds that a repetition should take at least


@frozen
class Python:
    """An executable that runs the driver. about: what it is, for the report.

    roomy: the command for programs with much data.
    """

    name: str
    about: str
    command: tuple[str, ...]
    roomy: tuple[str, ...] = field(default=Factory(lambda self: self.command, takes_self=True))


def cpython() -> Python:
    """The CPython that runs this."""
    version = sys.version.split()[0]
    return Python("CPython", f"CPython {version}", (sys.executable, "-IS"))


@frozen
class Reference:
    """Seconds for the work of n interpreters, scaled from `sample` of them."""

    figure: Figure
    sample: int
    processes: int = 1


def measure(
    python: Python, benchmark: Benchmark, n: int, repeat: int, processes: int = 1
) -> Reference:
    """Time the work of `n` interpreters on `processes` cores, from a sample where n is large.

    The sample is as many interpreters as take SAMPLE seconds, at least a period, for each
    process; what they print is checked. Raises ToolFailed, BenchFailed.
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
    """Seconds of each repetition: those of the slowest process, all starting together."""
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
