"""Hostile answers to `evaluate`, each among many programs whose answers are right.

Each program is in three places of one evaluation: the first, one in the middle and the last. Its
calls must have the statuses of `judged`, and every other program must pass with its own values. The
default tier has 60 programs, the campaign `attack-table` and a GPU 10,003.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from porter import evaluate
from porter.array import Repr, Unreadable

from .judged import ANSWERS, P
from .machines import LIMITS, MANY, Machine

NEIGHBOUR = """\
def solve(x):
    kept = {str(i): "%.3f" % (i / 7) for i in range(x)}
    return [len(kept), kept["9"], {x, -x}, float("nan")]
"""
BUILDS = ("default", "bounds-checked")


def same(value: Any, expected: Any) -> bool:
    """Compare in CPython: the function that an evaluation calls."""
    return type(value) is type(expected) and value == expected


def check(machine: Machine, build: str, name: str, count: int) -> None:
    """Evaluate the answer `name` in three of `count` programs; check all rows."""
    answer = ANSWERS[name]
    at = {0, count // 2, count - 1}
    value: list[Any] = [12]
    source = "def solve(x):\n return [x]"
    if not answer.function:  # CPython's == finds NaN unequal to itself
        source, value = NEIGHBOUR, [12, "1.286", {12, -12}, float("nan")]
    right = (source, (((12,), value),) * len(answer.cases))
    hostile = (answer.source, answer.cases)
    programs = [hostile if i in at else right for i in range(count)]
    options: dict[str, Any] = {**answer.options, **({"compare": same} if answer.function else {})}
    keep = ["values", "outputs", "tracebacks"]
    device = machine.device(build, 1 << 20 if "heap" in options else None)
    before = time.monotonic()
    found = evaluate(programs, device=device, keep=keep, **options)
    assert time.monotonic() - before < 2 * LIMITS[machine.target]
    status = found.status
    assert found.values is not None and found.tracebacks is not None
    for i in at:
        assert status[i].tolist() == list(answer.ends), (found.tracebacks[i], found.reasons)
        for value, wanted in zip(found.values[i], answer.values or (), strict=bool(answer.values)):
            if isinstance(wanted, Unreadable):
                assert isinstance(value, Unreadable) and value.reason == wanted.reason
            else:
                assert value == wanted and isinstance(value, Repr) == isinstance(wanted, Repr)
    others = np.delete(np.arange(count), sorted(at))
    assert (status[others] == P).all()
    for i in others[:: max(1, len(others) // 50)].tolist():
        assert [value[0] for value in found.values[i]] == [12] * len(answer.cases)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_among_right_ones(host: Machine, build: str, name: str) -> None:
    check(host, build, name, 60)


@pytest.mark.campaign("attack-table")
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_among_ten_thousand(host: Machine, build: str, name: str) -> None:
    check(host, build, name, MANY)


@pytest.mark.gpu
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_on_a_gpu(gpu: Machine, build: str, name: str) -> None:
    check(gpu, build, name, MANY)
