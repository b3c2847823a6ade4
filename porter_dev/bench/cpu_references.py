"""Time the benchmarks in CPU reference interpreters: CPython and upstream MicroPython.

The interpreters run in parallel processes, one per core.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from attrs import Factory, field, frozen

from porter.errors import ToolFailed, ToolMissing
from porter_dev.bench.catalogue import PROGRAMS, Benchmark
from porter_dev.bench.measurement import Figure
from porter_dev.bench.oracle import check_text


def together(commands: Sequence[list[str]], repeat: int) -> tuple[list[float], list[bytes]]:
    """Start one process per command and time `repeat` repetitions of their work.

    Protocol (programs/driver.py): before each repetition, a process writes "ready" to stderr and
    waits for a line on stdin. Afterwards it writes the nanoseconds of the repetition. All processes
    start a repetition together.

    Args:
        commands: Command line of each process.
        repeat: Repetitions.

    Returns:
        The seconds of the slowest process in each repetition, and the whole output of each process.

    Raises:
        ToolMissing: An executable is not installed.
        ToolFailed: A process fails or breaks the protocol.
    """
    with tempfile.TemporaryDirectory(prefix="porter-bench-") as folder:
        outputs = [Path(folder, f"out{i}") for i in range(len(commands))]
        children: list[subprocess.Popen[str]] = []
        try:
            for command, output in zip(commands, outputs, strict=True):
                children.append(_start(command, output))
            seconds = [_once(children) for _ in range(repeat)]
            for child in children:
                _expect(child, "")
        finally:
            for child in children:
                child.kill()
                child.communicate()
        return seconds, [output.read_bytes() for output in outputs]


def _start(command: list[str], output: Path) -> subprocess.Popen[str]:
    # porter.base.process would run a command to its end; these processes synchronise in between.
    pipe = subprocess.PIPE
    with output.open("wb") as file:
        try:
            return subprocess.Popen(command, stdin=pipe, stdout=file, stderr=pipe, text=True)
        except FileNotFoundError as error:
            raise ToolMissing(f"cannot run {command[0]}: not found") from error


def _once(children: list[subprocess.Popen[str]]) -> float:
    for child in children:
        _expect(child, "ready\n")
    for child in children:
        stdin: IO[str] = child.stdin  # type: ignore[assignment]
        stdin.write("\n")
        stdin.flush()
    return max(int(_line(child)) for child in children) / 1e9


def _expect(child: subprocess.Popen[str], wanted: str) -> None:
    line = _line(child, wanted == "")
    if line != wanted or (wanted == "" and child.wait() != 0):
        raise _failed(child, line)


def _line(child: subprocess.Popen[str], end: bool = False) -> str:
    stderr: IO[str] = child.stderr  # type: ignore[assignment]
    line = stderr.readline()
    if not end and line != "ready\n" and not line.strip().isdigit():
        raise _failed(child, line)
    return line


def _failed(child: subprocess.Popen[str], line: str) -> ToolFailed:
    try:
        text = line + child.communicate(timeout=5)[1]  # the rest of its error message
    except subprocess.TimeoutExpired:
        child.kill()
        text = line + child.communicate()[1]
    command = child.args if isinstance(child.args, list) else [str(child.args)]
    return ToolFailed(f"{command[0]} did not run a benchmark:\n{text}", output=text)


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
