"""How an interpreter's launch ended: the statuses of a build, by name."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, cast

import numpy as np

PREFIX = "GPUSNEK_"


class Status(IntEnum):
    """The statuses of one build. This class has no members; `statuses` makes the class that has.

    A member's name is its C name without `GPUSNEK_`: `built.status["OK"]`. Those of the port
    (templates/port/interp.h: OK, EXCEPTION, EXIT, SYNTAX_ERROR, STOPPED, NO_MEMORY,
    NO_FILE_SYSTEM, NOT_STARTED, MORE, OUT_OF_STEPS, OUT_OF_TIME, NO_ENTRY) say how a program
    ended, or why it could not begin. Those of the runtime (templates/runtime/launch.h:
    STATUS_NOT_RUN, STATUS_NO_MEMORY, STATUS_MOVED, STATUS_CANARY, STATUS_ABORT, STATUS_FENCE) are
    negative: the interpreter itself did not run or broke.
    """

    @property
    def c_name(self) -> str:
        """The name in the C header, which messages show."""
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
        """Whether Python's own error ended the program: an exception or a syntax error."""
        return self.name in ("EXCEPTION", "SYNTAX_ERROR")

    @property
    def stopped(self) -> bool:
        """Whether the host's hard stop ended the program."""
        return self.name == "STOPPED"

    @property
    def limited(self) -> bool:
        """Whether a limit of its own ended the program: its steps or its time."""
        return self.name in ("OUT_OF_STEPS", "OUT_OF_TIME")

    @property
    def failed(self) -> bool:
        """Whether the program came neither to its end nor to a SystemExit."""
        return not (self.ok or self.exited)

    @property
    def broken(self) -> bool:
        """Whether the interpreter, not its program, is why: it did not run, or it broke."""
        return self < 0

    @property
    def not_run(self) -> bool:
        """Whether the interpreter rested, or the launch ended before its turn."""
        return self.name == "STATUS_NOT_RUN"

    @classmethod
    def name_of(cls, value: int) -> str:
        """The C name of `value`, or its digits where no status has it."""
        try:
            return cls(int(value)).c_name
        except ValueError:
            return str(int(value))

    @classmethod
    def among(cls, values: np.ndarray[Any, Any], *names: str) -> np.ndarray[Any, Any]:
        """Which of `values` (n int32) are one of these statuses: n bools.

        There are few names and a million values, of which numpy.isin would make others first.
        """
        found = np.zeros(np.shape(values), np.bool_)
        for name in names:
            found |= values == int(cls[name])
        return found

    @classmethod
    def count(cls, values: np.ndarray[Any, Any], *names: str) -> int:
        """How many of `values` (n int32) are one of these statuses."""
        return int(cls.among(values, *names).sum())

    @classmethod
    def where_failed(cls, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Which of `values` (n int32) are neither OK nor EXIT: n bools."""
        return ~cls.among(values, "OK", "EXIT")

    @classmethod
    def where_broken(cls, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Which of `values` (n int32) are the runtime's own, negative ones: n bools."""
        return cast("np.ndarray[Any, Any]", values < 0)

    @classmethod
    def tally(cls, values: np.ndarray[Any, Any]) -> dict[int, int]:
        """How many there are of each of `values` (n int32), by value, the lowest first."""
        found, counts = np.unique(values, return_counts=True)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))


def statuses(values: Mapping[str, int]) -> type[Status]:
    """The Status class of a build. values: its statuses by C name.

    Raises ValueError for a name without GPUSNEK_, and for two names of one value.
    """
    members: dict[str, int] = {}
    for name, value in values.items():
        if not name.startswith(PREFIX):
            raise ValueError(f"{name}: not a status of the port or the runtime")
        if value in members.values():
            raise ValueError(f"{name}: another status is {value} too")
        members[name.removeprefix(PREFIX)] = value
    # Enum's functional form, whose arguments mypy checks against IntEnum's constructor.
    return cast("Any", Status)("Status", members, module=__name__)  # type: ignore[no-any-return]
