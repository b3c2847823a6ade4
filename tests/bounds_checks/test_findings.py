"""Findings of the fuzzer of hostile calls that only bounds checks stop: each ends alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from porter.run import Device, Launch, Program, run

FINDINGS = sorted(Path(__file__).with_name("findings").glob("*.py"))
NEIGHBOUR = Program(b"print(sum(range(99)))")


@pytest.mark.parametrize("path", FINDINGS, ids=[path.stem for path in FINDINGS])
def test_it_ends_alone(fenced: Device, path: Path) -> None:
    sizes = Launch(heap=80 << 10, pystack=4096, stack=32 << 10, stdout=2048, deadline=10.0)
    programs = [NEIGHBOUR, Program(path.read_bytes(), path.name)]
    result = run(fenced, programs, 3, sizes, program_of=np.array([0, 1, 0], np.uint32))
    assert [result.stdout[i] for i in (0, 2)] == [b"4851\n"] * 2
    assert result.status[0] == result.status[2] == result.statuses["OK"]
    ends = ("OK", "EXCEPTION", "EXIT", "STATUS_OUT_OF_BOUNDS")
    assert result.statuses.among(result.status, *ends)[1]
