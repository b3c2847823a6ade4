"""Counts on a GPU, where interpreters begin as copies and share bytecode.

$PORTER_GPU_PROFILING names the folder of a build with `--profile`, for a GPU and the host twin.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from porter.profiling import Profile, profile
from tests.profiling.conftest import instructions

pytestmark = pytest.mark.gpu

PROGRAM = """\
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
for i in range(1, 20):
    collatz(i + threadIdx % 4)
words = [str(i) for i in range(50)]
"""


@pytest.fixture(scope="module")
def counting() -> Path:
    """Return the build."""
    if "PORTER_GPU_PROFILING" not in os.environ:
        pytest.skip("PORTER_GPU_PROFILING names no build that counts")
    return Path(os.environ["PORTER_GPU_PROFILING"])


def lines(found: Profile) -> list[tuple[int, int, int]]:
    """Return the counts that do not depend on the target, by line."""
    return [
        (each.line, each.counts.instructions, each.counts.allocations)
        for each in found.lines
        if each.file == "<string>"
    ]


@pytest.mark.parametrize("n", [64, 1024])  # each boots by itself; copies of one
def test_counts_are_the_host_twins(counting: Path, n: int) -> None:
    twin, found = (profile(PROGRAM, n, target=t, build=counting) for t in ("host", "cuda"))
    assert found.full == 0
    assert found.counted == n
    assert lines(found) == lines(twin)
    assert {each.name: each.calls for each in found.functions} == {
        each.name: each.calls for each in twin.functions
    }


def test_time_and_lanes_are_measured(counting: Path) -> None:
    found = profile(PROGRAM, 1024, target="cuda", build=counting)
    assert found.time_unit == "ticks"
    busy = {each.line: each for each in found.lines if each.counts.instructions > 1000}
    assert all(each.counts.time > 0 for each in busy.values())
    assert all(1 <= each.lanes <= 32 for each in busy.values())
    assert busy[4].lanes < 32  # the programs differ there
    assert sum(instructions(found).values()) > 0
