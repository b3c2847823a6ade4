"""Describe the interpreters that a step limit or a deadline ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from porter.run.status import PREFIX, Status

# The status of interpreters that reached a limit, keyed by the limit's option.
STATUSES = {"max_steps": "OUT_OF_STEPS", "deadline": "OUT_OF_TIME"}


@frozen
class Limited:
    """The interpreters that one limit ended.

    Attributes:
        option: max_steps or deadline.
        count: Number of interpreters.
        most: The limit; None where each interpreter has its own.
    """

    option: str
    count: int
    most: float | None

    @property
    def status(self) -> str:
        """The name in Status of these interpreters' status."""
        return STATUSES[self.option]

    def text(self, n: int) -> str:
        """Return a clause that counts these interpreters among `n`, without a full stop."""
        return f"{self.count} of {n} interpreters {self.what}"

    @property
    def what(self) -> str:
        """The predicate of that clause: the limit that was exceeded, and the status."""
        steps = self.option == "max_steps"
        if self.most is None:
            what = "took more steps than they may" if steps else "ran longer than they may"
        else:
            what = f"took more than {self.most} steps" if steps else f"ran for {self.most:g} s"
        return f"{what} (status {PREFIX}{self.status})"


def limited(
    statuses: type[Status], status: np.ndarray[Any, Any], limits: Mapping[str, Any]
) -> tuple[Limited, ...]:
    """Count the interpreters that reached each limit.

    Args:
        statuses: The build's statuses.
        status: Each interpreter's status (n int32).
        limits: max_steps, a number, and deadline, in seconds. A value of another type stands for
            limits per interpreter.
    """
    found = []
    for option, name in STATUSES.items():
        if name in statuses.__members__ and (count := statuses.count(status, name)):
            most = limits.get(option)
            known = most if isinstance(most, int | float) else None
            found.append(Limited(option, count, known))
    return tuple(found)


def limit_hint(found: Sequence[Limited], *, python: bool = False) -> str | None:
    """Return a hint on raising the limits, or None where no limit was reached.

    Args:
        found: The limits that were reached.
        python: Spell options as keyword arguments.
    """
    if not found:
        return None
    spelt = [one.option if python else "--" + one.option.replace("_", "-") for one in found]
    return f"Give more with {' and '.join(spelt)}, or look why these programs do not end."
