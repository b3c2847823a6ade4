"""Which interpreters a limit ended, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from porter.run.status import PREFIX, Status

# A limit's option and the status of those that reached it.
STATUSES = {"max_steps": "OUT_OF_STEPS", "deadline": "OUT_OF_TIME"}


@frozen
class Limited:
    """Interpreters that one limit ended.

    option: max_steps or deadline. count: how many they are. most: the limit; None where each has
    its own.
    """

    option: str
    count: int
    most: float | None

    @property
    def status(self) -> str:
        """The status of these interpreters, by its name in Status."""
        return STATUSES[self.option]

    def text(self, n: int) -> str:
        """What happened, of `n` interpreters, without a full stop."""
        return f"{self.count} of {n} interpreters {self.what}"

    @property
    def what(self) -> str:
        """What they did, without who they are."""
        steps = self.option == "max_steps"
        if self.most is None:
            what = "took more steps than they may" if steps else "ran longer than they may"
        else:
            what = f"took more than {self.most} steps" if steps else f"ran for {self.most:g} s"
        return f"{what} (status {PREFIX}{self.status})"


def limited(
    statuses: type[Status], status: np.ndarray[Any, Any], limits: Mapping[str, Any]
) -> tuple[Limited, ...]:
    """Who reached which limit, of `status` (n int32).

    limits: max_steps, a number, and deadline, in seconds; anything else where each has its own.
    """
    found = []
    for option, name in STATUSES.items():
        if name in statuses.__members__ and (count := statuses.count(status, name)):
            most = limits.get(option)
            known = most if isinstance(most, int | float) else None
            found.append(Limited(option, count, known))
    return tuple(found)


def limit_hint(found: Sequence[Limited], *, python: bool = False) -> str | None:
    """What to do about it; None where there is nothing to say. python: for keyword arguments."""
    if not found:
        return None
    spelt = [one.option if python else "--" + one.option.replace("_", "-") for one in found]
    return f"Give more with {' and '.join(spelt)}, or look why these programs do not end."
