"""The accepted ends of a program when an allocation fails."""

from __future__ import annotations

import pytest

from porter_dev.allocation_failure.injection import (
    Effect,
    Ending,
    InjectedProgram,
    Injection,
    judge,
)

PLAIN = InjectedProgram("plain.py", b"print(1)\n", b"1\n")
CATCHING = InjectedProgram(
    "catching.py", b"try:\n    f()\nexcept MemoryError:\n    print(2)\n", b"1\n"
)
MEMORY_ERROR = b"Traceback (most recent call last):\nMemoryError: memory allocation failed\n"


def of(subject: InjectedProgram, ending: Ending, fail: int = 3) -> Effect:
    return judge(subject, Injection(subject.name, subject.source, fail), ending)


@pytest.mark.parametrize(
    ("subject", "ending", "verdict"),
    [
        (PLAIN, Ending("GPUSNEK_OK", b"1\n", allocations=9), Effect.RIGHT),
        (PLAIN, Ending("GPUSNEK_EXCEPTION", b"", MEMORY_ERROR, 9), Effect.MEMORY_ERROR),
        (PLAIN, Ending("GPUSNEK_OK", b"", allocations=9), Effect.WRONG),
        (PLAIN, Ending("GPUSNEK_EXCEPTION", b"", b"KeyError: 1\n", 9), Effect.OTHER_EXCEPTION),
        (CATCHING, Ending("GPUSNEK_OK", b"2\n", allocations=9), Effect.HANDLED),
        (CATCHING, Ending("GPUSNEK_EXIT", b"", allocations=9), Effect.HANDLED),
        (PLAIN, Ending("GPUSNEK_STATUS_CANARY", b"1\n", allocations=9), Effect.CANARY),
        (PLAIN, Ending("GPUSNEK_STATUS_ABORT", b"1\n", allocations=9), Effect.CRASH),
        (PLAIN, Ending("process died", note="SIGSEGV"), Effect.CRASH),
        (PLAIN, Ending("GPUSNEK_STOPPED", b"1\n", allocations=9), Effect.HANG),
    ],
)
def test_verdicts(subject: InjectedProgram, ending: Ending, verdict: Effect) -> None:
    assert of(subject, ending) is verdict


def test_a_neighbour_may_not_change() -> None:
    raised = Ending("GPUSNEK_EXCEPTION", b"", MEMORY_ERROR, 9)
    assert of(CATCHING, raised, fail=0) is Effect.NEIGHBOUR
    assert of(CATCHING, raised, fail=10) is Effect.NEIGHBOUR  # it made 9: none failed
    assert of(CATCHING, Ending("GPUSNEK_OK", b"1\n", allocations=9), fail=0) is Effect.RIGHT


def test_which_verdicts_a_sweep_accepts() -> None:
    assert [verdict.name for verdict in Effect if verdict.good] == [
        "RIGHT",
        "MEMORY_ERROR",
        "HANDLED",
        "OTHER_EXCEPTION",
    ]
