"""What counts as a good end when an allocation fails."""

from __future__ import annotations

import pytest

from porter.sweep.judge import judge
from porter.sweep.model import Ending, Subject, Trial, Verdict

PLAIN = Subject("plain.py", b"print(1)\n", b"1\n")
CATCHING = Subject("catching.py", b"try:\n    f()\nexcept MemoryError:\n    print(2)\n", b"1\n")
MEMORY_ERROR = b"Traceback (most recent call last):\nMemoryError: memory allocation failed\n"


def of(subject: Subject, ending: Ending, fail: int = 3) -> Verdict:
    return judge(subject, Trial(subject.name, subject.source, fail), ending)


@pytest.mark.parametrize(
    ("subject", "ending", "verdict"),
    [
        (PLAIN, Ending("GPUSNEK_OK", b"1\n", allocations=9), Verdict.RIGHT),
        (PLAIN, Ending("GPUSNEK_EXCEPTION", b"", MEMORY_ERROR, 9), Verdict.MEMORY_ERROR),
        (PLAIN, Ending("GPUSNEK_OK", b"", allocations=9), Verdict.WRONG),
        (PLAIN, Ending("GPUSNEK_EXCEPTION", b"", b"KeyError: 1\n", 9), Verdict.OTHER_EXCEPTION),
        (CATCHING, Ending("GPUSNEK_OK", b"2\n", allocations=9), Verdict.HANDLED),
        (CATCHING, Ending("GPUSNEK_EXIT", b"", allocations=9), Verdict.HANDLED),
        (PLAIN, Ending("GPUSNEK_STATUS_CANARY", b"1\n", allocations=9), Verdict.CANARY),
        (PLAIN, Ending("GPUSNEK_STATUS_ABORT", b"1\n", allocations=9), Verdict.CRASH),
        (PLAIN, Ending("process died", note="SIGSEGV"), Verdict.CRASH),
        (PLAIN, Ending("GPUSNEK_STOPPED", b"1\n", allocations=9), Verdict.HANG),
    ],
)
def test_verdicts(subject: Subject, ending: Ending, verdict: Verdict) -> None:
    assert of(subject, ending) is verdict


def test_a_neighbour_may_not_change() -> None:
    raised = Ending("GPUSNEK_EXCEPTION", b"", MEMORY_ERROR, 9)
    assert of(CATCHING, raised, fail=0) is Verdict.NEIGHBOUR
    assert of(CATCHING, raised, fail=10) is Verdict.NEIGHBOUR  # it made 9: none failed
    assert of(CATCHING, Ending("GPUSNEK_OK", b"1\n", allocations=9), fail=0) is Verdict.RIGHT


def test_which_verdicts_a_sweep_accepts() -> None:
    assert [verdict.name for verdict in Verdict if verdict.good] == [
        "RIGHT",
        "MEMORY_ERROR",
        "HANDLED",
        "OTHER_EXCEPTION",
    ]
