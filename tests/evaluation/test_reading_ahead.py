"""Programs are read ahead without losing one, without waiting for a slow source, in their order."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from porter import evaluate
from porter.errors import UsageError, WrongType
from porter.evaluation.cases import Cases
from porter.evaluation.portion import Cutter
from porter.evaluation.status import CaseStatus
from porter.run import Device

SHARED = Cases.of([((k,), k) for k in range(4)], "cases")
OWN = [((1,), 1), ((2,), 2)]


def cut(cutter: Cutter, rows: int) -> list[bytes]:
    """Return the sources of all portions."""
    found: list[bytes] = []
    while (portion := cutter.next(rows)) is not None:
        found += portion.sources
    return found


@pytest.mark.parametrize("ahead", [0, 1, 7, 1000])
@pytest.mark.parametrize("own", [False, True])
def test_no_program_is_lost(own: bool, ahead: int) -> None:
    sources = [f"x = {k}" for k in range(50)]
    programs = iter((source, OWN) for source in sources) if own else iter(sources)
    cutter = Cutter(programs, None if own else SHARED, most=1000)
    first = cutter.next(10)
    assert first is not None
    each = 2 if own else 4
    read = cutter.ahead(ahead, 10.0)
    # One program with its own cases was read to find the end of the first portion.
    assert read == min(50 - len(first.sources), max(int(own), -(-ahead // each))) * each
    assert (cutter.left == read) if ahead == 1000 else (cutter.left in (None, 4 * 48))
    assert cutter.cut == first.rows
    rest = [source for portion in iter(lambda: cutter.next(10), None) for source in portion.sources]
    assert [*first.sources, *rest] == [source.encode() for source in sources]
    assert cutter.cut == 50 * each and cutter.ahead(10, 1.0) == 0 and cutter.left == 0


def test_the_cases_of_a_sequence_are_counted() -> None:
    cutter = Cutter([("x = 0", OWN), ("x = 1", OWN * 3), ("x = 2", OWN)], None, most=1000)
    assert cutter.left == 10
    cutter.next(3)
    assert cutter.left == 8
    assert cut(cutter, 1000) == [b"x = 1", b"x = 2"] and cutter.left == 0
    shared = Cutter(["x = 0"] * 5, SHARED, most=1000)
    assert shared.left == 20
    shared.next(8)
    assert shared.left == 12


def test_a_slow_source_is_not_waited_for() -> None:
    def slow() -> Iterator[str]:
        for k in range(1000):
            time.sleep(0.01)
            yield f"x = {k}"

    cutter = Cutter(slow(), SHARED, most=1000)
    begun = time.monotonic()
    read = cutter.ahead(10_000, 0.05)
    assert 4 <= read <= 24 and time.monotonic() - begun < 1.0
    assert cutter.left is None


@pytest.mark.parametrize("ahead", [0, 1000])
@pytest.mark.parametrize(
    "wrong, error", [(3, UsageError), (("x = 1", 3), WrongType), ((), UsageError)]
)
def test_a_wrong_program_is_reported_behind_those_before_it(
    wrong: Any, error: type, ahead: int
) -> None:
    pairs = [("x = 0", OWN), ("x = 1", OWN), ("x = 2", OWN), wrong, ("x = 4", OWN)]
    cutter = Cutter(iter(pairs), None, most=1000)
    cutter.ahead(ahead, 1.0)
    portion = cutter.next(100)
    assert portion is not None and portion.sources == (b"x = 0", b"x = 1", b"x = 2")
    with pytest.raises(error, match=r"programs\[3\]"):
        cutter.next(100)


def test_a_source_of_a_wrong_type_is_reported_behind_those_before_it() -> None:
    cutter = Cutter(["x = 0", b"x = 1", 7, "x = 3"], SHARED, most=1000)
    portion = cutter.next(100)
    assert portion is not None and portion.sources == (b"x = 0", b"x = 1")
    with pytest.raises(WrongType, match=r"programs\[2\]"):
        cutter.next(100)


def broken() -> Iterator[str]:
    """Yield five functions, and fail."""
    for k in range(5):
        yield f"def solve(x): return x + {k}"
    raise OSError("the file is gone")


@pytest.mark.parametrize("ahead", [0, 1000])
def test_an_error_of_the_source_is_raised_behind_the_programs_before_it(ahead: int) -> None:
    cutter = Cutter(broken(), SHARED, most=1000)
    cutter.ahead(ahead, 1.0)
    portion = cutter.next(100)
    assert portion is not None and len(portion.sources) == 5
    with pytest.raises(OSError, match="the file is gone"):
        cutter.next(12)


@pytest.mark.parametrize("batch", [None, 2])
def test_an_error_of_the_source_loses_no_result(any_device: Device, batch: int | None) -> None:
    with pytest.raises(OSError, match="the file is gone") as caught:
        evaluate(broken(), [((1,), 1)], device=any_device, batch=batch)
    found = vars(caught.value)["result"]
    assert [bool(status == CaseStatus.PASSED) for one in found for status in one.status] == [
        True,
        *[False] * 4,
    ]
    wrong = ["def solve(x): return x", b"def solve(x): return 0", 7]
    with pytest.raises(WrongType) as refused:
        evaluate(wrong, [((1,), 1)], device=any_device, batch=batch)
    assert sum(len(one.counts) for one in vars(refused.value)["result"]) == 2


def test_results_of_a_slow_source_arrive_while_it_is_read(any_device: Device) -> None:
    def slow() -> Iterator[str]:
        for k in range(5):
            time.sleep(0.3)
            yield f"def solve(x): return x + {k}"

    seen: list[int] = []
    found = evaluate(slow(), [((1,), 1)], device=any_device, progress=seen.append)
    assert seen[-1] == 5 and len(seen) > 1
    assert found.passed[:, 0].tolist() == [True, *[False] * 4]
