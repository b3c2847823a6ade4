"""Limits of each interpreter: accepted arguments, and the limits in a result."""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np
import pytest

from porter.errors import UsageError, WrongType
from porter.run import Device, Launch, run
from porter.run.advice import limit_hint, limited
from porter.run.launch.limits import NANOSECONDS, Each, steps_limit, time_limit

TYPES: list[tuple[str, Any]] = [
    ("max_steps", True), ("max_steps", "5"), ("max_steps", 1.5), ("max_steps", [1, 2.5]),
    ("max_steps", [False]), ("max_steps", np.array([1.0])), ("max_steps", np.bool_(1)),
    ("max_steps", {1: 2}), ("deadline", True), ("deadline", "1"), ("deadline", [1, "2"]),
    ("deadline", b"1"), ("deadline", [[1]]),
]  # fmt: skip
VALUES: list[tuple[str, Any]] = [
    ("max_steps", 0), ("max_steps", -1), ("max_steps", 2**63 + 1), ("max_steps", [5, 0]),
    ("max_steps", []), ("max_steps", np.array([-1])), ("deadline", 0), ("deadline", -1),
    ("deadline", math.nan), ("deadline", math.inf), ("deadline", 1e10), ("deadline", 10**400),
    ("deadline", [1, 0]), ("deadline", [math.nan]), ("deadline", []), ("deadline", -0.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), TYPES)
def test_types(name: str, value: Any) -> None:
    with pytest.raises(WrongType, match=rf"^{name}: "):
        Launch(**{name: value})


@pytest.mark.parametrize(("name", "value"), VALUES)
def test_values(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=rf"^{name}: "):
        Launch(**{name: value})


def test_numbers_of_any_kind() -> None:
    launch = Launch(max_steps=np.int32(7), deadline=np.float32(0.5))
    assert (steps_limit(launch.max_steps), time_limit(launch.deadline)) == (7, NANOSECONDS // 2)
    assert time_limit(Launch(deadline=1e-12).deadline) == 1  # 0 would be no limit
    each = attrs.evolve(Launch(max_steps=[1, None, 2**63], deadline=np.array([0.25, 1])), seed=1)
    assert isinstance(each.max_steps, Each) and isinstance(each.deadline, Each)
    assert each.max_steps.values.tolist() == [1, 0, 2**63] and each.max_steps.least == 1
    assert each.deadline.values.tolist() == [NANOSECONDS // 4, NANOSECONDS]
    assert Each(np.zeros(2, np.uint64)).least == 0


def test_one_for_each_must_be_n(device: Device) -> None:
    for options in ({"max_steps": [1, 2]}, {"deadline": [0.5]}):
        with pytest.raises(UsageError, match=rf"{next(iter(options))}: \d values for 3 inter"):
            run(device, ["c"], 3, Launch(**options))


def test_words(device: Device) -> None:
    statuses = device.built.status
    status = np.array([statuses["OK"], statuses["OUT_OF_STEPS"], statuses["OUT_OF_TIME"]], np.int32)
    steps, time = limited(statuses, status, {"max_steps": 10, "deadline": Each(status)})
    assert steps.text(3) == (
        "1 of 3 interpreters took more than 10 steps (status GPUSNEK_OUT_OF_STEPS)"
    )
    assert time.what == "ran longer than they may (status GPUSNEK_OUT_OF_TIME)"
    hint = limit_hint([steps, time]) or ""
    assert "--max-steps and --deadline" in hint
    assert "max_steps" in (limit_hint([steps], python=True) or "") and limit_hint([]) is None
    assert statuses(int(status[1])).limited and not statuses["STOPPED"].limited
