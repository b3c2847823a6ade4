"""What one input gave."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen

from porter.run import Result, Stream
from porter.run.limited import Limited
from porter.run.result import broken_by_name, exit_status


@frozen
class Times:
    """Seconds that an input took: the launch alone, and merging its outputs."""

    device: float = 0.0
    merge: float = 0.0


@frozen(eq=False, slots=False)
class Answer:
    """What the interpreters that ran wrote, and how they ended.

    outputs: stdout and tracebacks in order; then, where some ended, what they wrote while ending.
    which: the indices of those that ran. result: the whole launch's.
    """

    outputs: tuple[Stream, ...]
    which: np.ndarray[Any, Any]
    result: Result

    @cached_property
    def _status(self) -> np.ndarray[Any, Any]:
        status: np.ndarray[Any, Any] = self.result.status[self.which]
        return status

    def _count(self, status: str) -> int:
        return self.result.statuses.count(self._status, status)

    @cached_property
    def stopped(self) -> int:
        """How many were stopped hard."""
        return self._count("STOPPED")

    @property
    def limited(self) -> tuple[Limited, ...]:
        """Limits that ended what some of them ran."""
        return self.result.limited

    @cached_property
    def exited(self) -> int:
        """How many ended by SystemExit."""
        return self._count("EXIT")

    @cached_property
    def exit_code(self) -> int:
        """What SystemExits end a process with (exit_status); 0 where there was none."""
        exited = self.result.statuses.among(self._status, "EXIT")
        return exit_status(self.result.exit_code[self.which][exited])

    @cached_property
    def failed(self) -> int:
        """How many ended neither well nor by SystemExit."""
        return int(self.result.statuses.where_failed(self._status).sum())

    @cached_property
    def broken(self) -> dict[str, int]:
        """How many broke, by the status's name."""
        return broken_by_name(self.result.statuses, self._status)
