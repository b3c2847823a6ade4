"""Ordinary programs print CPython's output, with the default sizes of a build."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from porter.config import BuildConfig
from porter.run import Device, Launch, Program, run

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))

# Programs for which the default heap is too small, and the reason.
LARGER_HEAP = {
    "dijkstra": "a graph of 64 towns: 300 tuples, and as many strings",
    "simulation": "17K are in use at most, but integers of 64 bits come and go between them",
    "tic_tac_toe": "a dict of 550 positions, each a string",
}


def launch(**sizes: int) -> Launch:
    """Return a launch with default sizes, whatever the build has."""
    config = BuildConfig(release="1")
    named = ("heap", "pystack", "stack", "stdout", "stderr")
    return Launch(**{name: getattr(config, name) for name in named} | sizes)


def cpython(path: Path) -> bytes:
    done = subprocess.run([sys.executable, path], capture_output=True, check=True)
    return done.stdout


def test_there_are_programs_enough() -> None:
    assert len(PROGRAMS) >= 26
    assert len(LARGER_HEAP) * 10 < len(PROGRAMS)
    assert {path.stem for path in PROGRAMS} >= LARGER_HEAP.keys()


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program(any_device: Device, path: Path) -> None:
    program = Program(path.read_bytes(), path.name)
    result = run(any_device, [program], 2, launch())
    if path.stem in LARGER_HEAP:
        assert [lack.option for lack in result.lacks] == ["heap"], "it fits: take it off the list"
        result = run(any_device, [program], 2, launch(heap=128 * 1024))
    assert not result.status.any(), result.stderr[0].decode()
    assert result.stdout[0] == result.stdout[1] == cpython(path)
    assert not result.stdout.cut.any()
    assert not result.lacks


def test_function_calls_take_no_c_stack(any_device: Device) -> None:
    program = b"def f(n):\n    return n and 1 + f(n - 1)\nprint(f(400))\n"
    result = run(any_device, [program], 1, launch(pystack=64 * 1024, stack=8 * 1024))
    assert (result.stdout[0], result.stderr[0]) == (b"400\n", b"")
