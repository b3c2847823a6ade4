"""Limits of each interpreter: how many steps its program may take, and for how long it may run."""

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
# Seconds that exit functions and finalisers of all interpreters may take together, where they
# end outside of a program's own launch: `close()` of arrays and sessions, SystemExit at the prompt.
END_SECONDS = 2.0
NANOSECONDS = 10**9


@frozen(eq=False)
class Each:
    """A limit of each interpreter. values: n uint64, as launch.h has them; 0: no limit."""

    values: np.ndarray[Any, Any] = field(repr=False)

    def of(self, n: int, name: str) -> np.ndarray[Any, Any]:
        """The values, of `n` interpreters. Raises UsageError."""
        if len(self.values) != n:
            raise UsageError(f"{name}: {len(self.values)} values for {n} interpreters")
        return self.values

    @property
    def least(self) -> int:
        """The smallest limit of all; 0 where nobody has one."""
        limits = self.values[self.values > 0]
        return int(limits.min()) if limits.size else 0


Limit = int | Each  # of all, or of each; 0: none
# What callers may give.
Steps = int | Sequence[int | None] | Each | None
Seconds = float | Sequence[float | None] | Each | None


def steps_of(value: Any, name: str = "max_steps") -> int | Each | None:
    """A whole number of steps from 1, or a sequence of them; None: no limit.

    Raises WrongType, UsageError.
    """
    return _of(value, name, _steps)


def seconds_of(value: Any, name: str = "deadline") -> float | Each | None:
    """A positive number of seconds, or a sequence of them; None: no limit.

    Raises WrongType, UsageError.
    """
    if value is None or isinstance(value, Each):
        return value
    if _is_one(value):
        _nanoseconds(value, name)
        return float(value)
    return Each(_all(value, name, _nanoseconds))


def steps_limit(max_steps: Any) -> Limit:
    """What the launch record has for max_steps, which steps_of made."""
    limit: Limit = max_steps or 0
    return limit


def time_limit(deadline: Any) -> Limit:
    """What the launch record has for a deadline, which seconds_of made: nanoseconds."""
    if deadline is None or isinstance(deadline, Each):
        return deadline or 0
    return _nanoseconds(deadline, "deadline")


def least(limit: Limit) -> int:
    """The smallest limit of all; 0 where nobody has one."""
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
