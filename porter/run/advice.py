"""Explain sizes and limits that ended interpreters, and propose larger ones.

`Lack` describes a size that was too small. Its input is the lack code that the port reports per
interpreter, not the text of tracebacks. `Limited` describes a step limit or a deadline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from attrs import frozen

from porter.base.sizes import KIB, MIB, format_size
from porter.config import LOCAL_MEMORY_LIMIT, LOCAL_RESERVED, SIZE_BOUNDS
from porter.run.status import PREFIX, Status

GRAIN = 16 * KIB  # bytes; a heap below 1 MiB is proposed as a multiple of this
# keyed by the names of Built.lack
OPTIONS = {"HEAP": "heap", "PYSTACK": "pystack", "STACK": "stack"}
WORDS = {"heap": "heap", "pystack": "pystack", "stack": "C stack"}


@frozen
class Lack:
    """The interpreters for which one size was too small.

    Attributes:
        option: heap, pystack or stack.
        count: Number of interpreters.
        had: Bytes of it that each has.
        enough: Proposed bytes; None where an interpreter has the maximum already.
        moves: Whether the proposed size requires arenas in global memory.
    """

    option: str
    count: int
    had: int
    enough: int | None
    moves: bool = False

    def advice(self, n: int, *, python: bool = False) -> str:
        """Return a sentence for the user.

        Args:
            n: Interpreters of the launch.
            python: Spell options as keyword arguments instead of command line options.
        """
        text = f"{self.count} of {n} ran out of {WORDS[self.option]}, which is "
        text += format_size(self.had)
        if self.enough is None:
            return f"{text}, the most that there is."
        size = format_size(self.enough)
        if python:
            return f'{text}: give {self.option}="{size}" or more{self._where("arenas")}.'
        return f"{text}: give --{self.option} {size} or more{self._where('--arena global')}."

    def _where(self, text: str) -> str:
        if not self.moves:
            return ""
        return f", with {text}" if text[0] == "-" else ", in a build with global arenas"


def find(
    lack: np.ndarray[Any, Any],
    failed: np.ndarray[Any, Any],
    sizes: Mapping[str, int],
    kinds: type[IntEnum],
    *,
    local: bool,
) -> tuple[Lack, ...]:
    """Group `failed` interpreters by the size that was too small for them.

    Args:
        lack: Lack codes as launch.h describes them (n uint64).
        failed: The interpreters that failed (n bools).
        sizes: Bytes of heap, pystack and stack.
        kinds: The enum Built.lack.
        local: Whether arenas are in local memory.
    """
    kind = np.where(failed, lack % 4, 0)
    found = []
    for name, option in OPTIONS.items():
        which = kind == kinds[name]
        if not which.any():
            continue
        had = sizes[option]
        enough: int | None = 2 * had
        if option == "heap":
            # Growing an object copies it, so the heap needs space for the old and the new object.
            asked = had + 2 * int(lack[which].max() // 4)
            grain = GRAIN if asked < MIB else MIB
            enough = max(2 * had, -(-asked // grain) * grain)
        if enough is not None and enough > SIZE_BOUNDS[option].high:
            enough = SIZE_BOUNDS[option].high if had < SIZE_BOUNDS[option].high else None
        moves = False
        if local and enough is not None:
            others = sum(sizes[name] for name in OPTIONS.values() if name != option)
            moves = enough + others + LOCAL_RESERVED > LOCAL_MEMORY_LIMIT
        found.append(Lack(option, int(which.sum()), had, enough, moves))
    return tuple(found)


def advice(lacks: Sequence[Lack], n: int, *, python: bool = False) -> str | None:
    """Return the advice on all of `lacks` as one text, or None without any."""
    return " ".join(lack.advice(n, python=python) for lack in lacks) or None


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
