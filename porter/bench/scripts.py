"""The same programs in a Python of this machine's processor: CPython, upstream MicroPython."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

from attrs import Factory, field, frozen

from porter.bench.catalogue import PROGRAMS, Benchmark
from porter.bench.figures import Figure
from porter.bench.oracle import check_text
from porter.errors import ToolFailed, ToolMissing

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
    with tempfile.TemporaryDirectory(prefix="porter-bench-") as folder:
        setup = "-" if benchmark.setup_path is None else str(benchmark.setup_path)
        start = python.command if benchmark.setup is None else python.roomy
        outputs = [Path(folder, f"out{i}") for i in range(processes)]
        children = []
        try:
            for i, output in enumerate(outputs):
                words = (i * count, count, total, repeat)
                command = [*start, str(DRIVER), str(benchmark.path), setup, *map(str, words)]
                children.append(_start(command, output))
            seconds = [_together(children) for _ in range(repeat)]
            for child in children:
                _expect(child, "")
        finally:
            for child in children:
                child.kill()
                child.communicate()
        for i, output in enumerate(outputs):
            check_text(benchmark, output.read_bytes(), i * count, count, repeat, python.about)
    return seconds


def _start(command: list[str], output: Path) -> subprocess.Popen[str]:
    # porter.base.process runs a command to its end; these wait for each other in between.
    pipe = subprocess.PIPE
    with output.open("wb") as file:
        try:
            return subprocess.Popen(command, stdin=pipe, stdout=file, stderr=pipe, text=True)
        except FileNotFoundError as error:
            raise ToolMissing(f"cannot run {command[0]}: not found") from error


def _together(children: list[subprocess.Popen[str]]) -> float:
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
        text = line + child.communicate(timeout=5)[1]  # the rest of what it has to say
    except subprocess.TimeoutExpired:
        child.kill()
        text = line + child.communicate()[1]
    command = child.args if isinstance(child.args, list) else [str(child.args)]
    return ToolFailed(f"{command[0]} did not run a benchmark:\n{text}", output=text)
