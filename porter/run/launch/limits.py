"""Limits per interpreter: the maximum steps of its program, and its deadline."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen

from porter.base import arguments
from porter.base.arguments import MOST_SECONDS
from porter.errors import UsageError

MOST_STEPS = 2**63
# Seconds that exit functions and finalizers of all interpreters may take together when they run
# outside of a program's own launch: in `close()` of arrays and sessions, and at SystemExit at the
# prompt.
END_SECONDS = 2.0
NANOSECONDS = 10**9


@frozen(eq=False)
class Each:
    """A limit for each interpreter.

    Attributes:
        values: The limits in units of launch.h (n uint64); 0: no limit.
    """

    values: np.ndarray[Any, Any] = field(repr=False)

    def of(self, n: int, name: str) -> np.ndarray[Any, Any]:
        """Return the values after checking that there are `n`. Raises UsageError."""
        if len(self.values) != n:
            raise UsageError(f"{name}: {len(self.values)} values for {n} interpreters")
        return self.values

    @property
    def least(self) -> int:
        """The smallest limit; 0 where no interpreter has one."""
        limits = self.values[self.values > 0]
        return int(limits.min()) if limits.size else 0


Limit = int | Each  # one for all interpreters, or one for each; 0: no limit
# Types that callers may pass.
Steps = int | Sequence[int | None] | Each | None
Seconds = float | Sequence[float | None] | Each | None


def steps_of(value: Any, name: str = "max_steps") -> int | Each | None:
    """Validate a step limit.

    Args:
        value: A number of at least 1, or a sequence with one per interpreter; None: no limit.
        name: The argument's name in messages.

    Raises:
        WrongType: It is no number.
        UsageError: It is out of range.
    """
    return _of(value, name, _steps)


def seconds_of(value: Any, name: str = "deadline") -> float | Each | None:
    """Validate a deadline.

    Args:
        value: Positive seconds, or a sequence with one value per interpreter; None: no limit.
        name: The argument's name in messages.

    Raises:
        WrongType: It is no number.
        UsageError: It is out of range.
    """
    if value is None or isinstance(value, Each):
        return value
    if _is_one(value):
        _nanoseconds(value, name)
        return float(value)
    return Each(_all(value, name, _nanoseconds))


def steps_limit(max_steps: Any) -> Limit:
    """Convert a result of steps_of for the launch record."""
    limit: Limit = max_steps or 0
    return limit


def time_limit(deadline: Any) -> Limit:
    """Convert a result of seconds_of to nanoseconds, for the launch record."""
    if deadline is None or isinstance(deadline, Each):
        return deadline or 0
    return _nanoseconds(deadline, "deadline")


def least(limit: Limit) -> int:
    """Return the smallest limit; 0 where no interpreter has one."""
    return limit.least if isinstance(limit, Each) else limit


def _of(value: Any, name: str, one: Callable[[Any, str], int]) -> int | Each | None:
    if value is None or isinstance(value, Each):
        return value
    return one(value, name) if _is_one(value) else Each(_all(value, name, one))


def _is_one(value: Any) -> bool:
    return not isinstance(value, Sequence | np.ndarray) or isinstance(value, str | bytes)


def _all(value: Any, name: str, one: Callable[[Any, str], int]) -> np.ndarray[Any, Any]:
    items = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(items, Sequence) or not items:
        raise UsageError(f"{name}: give one value, or one for each interpreter")
    return np.array([0 if item is None else one(item, name) for item in items], np.uint64)


def _steps(value: Any, name: str) -> int:
    return arguments.whole(value, name, 1, MOST_STEPS)


def _nanoseconds(value: Any, name: str) -> int:
    number = arguments.seconds(value, name)
    if number == 0:
        raise UsageError(
            f"{name}: 0 seconds are no time to run in",
            hint=f"Give a time from 1e-9 to {MOST_SECONDS:g}, or leave {name} out for no limit.",
        )
    return max(1, math.ceil(number * NANOSECONDS))
