"""Run CPU reference interpreters (CPython, MicroPython) in parallel processes and time them."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from porter.errors import ToolFailed, ToolMissing


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
