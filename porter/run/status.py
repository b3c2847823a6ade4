"""Exit statuses of interpreters: a build's enum, and operations over arrays of statuses."""

from __future__ import annotations

from collections.abc import Mapping
from enum import EnumMeta, IntEnum
from typing import Any, cast

import numpy as np

from porter.base.deprecated import warn_deprecated

PREFIX = "GPUSNEK_"
RENAMED = {"STATUS_FENCE": "STATUS_OUT_OF_BOUNDS"}  # the new name of each old name


class _StatusType(EnumMeta):
    """The metaclass of Status: `Status[name]` accepts old names."""

    def __getitem__(cls, name: str) -> Any:
        if name in RENAMED:
            warn_deprecated(f"the status {name}", RENAMED[name])
        return super().__getitem__(RENAMED.get(name, name))


class Status(IntEnum, metaclass=_StatusType):
    """The statuses of one build; `statuses` makes the subclass that has members.

    A member's name is its C name without `GPUSNEK_`: `built.status["OK"]`. Statuses of the port
    (templates/port/interp.h) say how a program ended, or why it did not start: OK, EXCEPTION, EXIT,
    SYNTAX_ERROR, STOPPED, NO_MEMORY, NO_FILE_SYSTEM, NOT_STARTED, MORE, OUT_OF_STEPS, OUT_OF_TIME,
    NO_ENTRY. Statuses of the runtime (templates/runtime/launch.h) are negative: the interpreter
    itself did not run or broke. They are STATUS_NOT_RUN, STATUS_NO_MEMORY, STATUS_MOVED,
    STATUS_CANARY, STATUS_ABORT, STATUS_OUT_OF_BOUNDS.
    """

    @property
    def c_name(self) -> str:
        """The name in the C header. Messages show it."""
        return PREFIX + self.name

    @property
    def ok(self) -> bool:
        """Whether the program ran to its end."""
        return self.name == "OK"

    @property
    def exited(self) -> bool:
        """Whether the program ended with SystemExit, whatever its code."""
        return self.name == "EXIT"

    @property
    def raised(self) -> bool:
        """Whether an exception or a syntax error ended the program."""
        return self.name in ("EXCEPTION", "SYNTAX_ERROR")

    @property
    def stopped(self) -> bool:
        """Whether the host's hard stop ended the program."""
        return self.name == "STOPPED"

    @property
    def limited(self) -> bool:
        """Whether the program's step limit or deadline ended it."""
        return self.name in ("OUT_OF_STEPS", "OUT_OF_TIME")

    @property
    def failed(self) -> bool:
        """Whether the program neither ran to its end nor raised SystemExit."""
        return not (self.ok or self.exited)

    @property
    def broken(self) -> bool:
        """Whether the interpreter itself did not run or broke."""
        return self < 0

    @property
    def not_run(self) -> bool:
        """Whether the interpreter had no program, or the launch ended before it started."""
        return self.name == "STATUS_NOT_RUN"

    @classmethod
    def name_of(cls, value: int) -> str:
        """Return the C name of `value`, or its digits where no status has this value."""
        try:
            return cls(int(value)).c_name
        except ValueError:
            return str(int(value))

    @classmethod
    def among(cls, values: np.ndarray[Any, Any], *names: str) -> np.ndarray[Any, Any]:
        """Return which of `values` (n int32) are one of these statuses (n bools).

        Comparing per name is faster than numpy.isin, which sorts or hashes the values first.
        """
        first, *others = names
        found: np.ndarray[Any, Any] = values == int(cls[first])
        for name in others:
            found |= values == int(cls[name])
        return found

    @classmethod
    def count(cls, values: np.ndarray[Any, Any], *names: str) -> int:
        """Count the `values` (n int32) that are one of these statuses."""
        return int(cls.among(values, *names).sum())

    @classmethod
    def where_failed(cls, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return which of `values` (n int32) are neither OK nor EXIT (n bools)."""
        return ~cls.among(values, "OK", "EXIT")

    @classmethod
    def where_broken(cls, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return which of `values` (n int32) are negative statuses of the runtime (n bools)."""
        return cast("np.ndarray[Any, Any]", values < 0)

    @classmethod
    def tally(cls, values: np.ndarray[Any, Any]) -> dict[int, int]:
        """Count each distinct value of `values` (n int32), in ascending order of value."""
        found, counts = np.unique(values, return_counts=True)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))


def statuses(values: Mapping[str, int]) -> type[Status]:
    """Make the Status class of a build.

    Args:
        values: The build's statuses, keyed by C name.

    Raises:
        ValueError: A name lacks the prefix GPUSNEK_, or two names have one value.
    """
    members: dict[str, int] = {}
    for name, value in values.items():
        if not name.startswith(PREFIX):
            raise ValueError(f"{name}: not a status of the port or the runtime")
        if value in members.values():
            raise ValueError(f"{name}: another status is {value} too")
        short = name.removeprefix(PREFIX)
        members[RENAMED.get(short, short)] = value  # builds of older versions have old names
    # Enum's functional form; the cast is needed because mypy checks IntEnum's constructor.
    return cast("Any", Status)("Status", members, module=__name__)  # type: ignore[no-any-return]
