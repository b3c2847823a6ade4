"""The result of one input: merged outputs and counts of exit statuses."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen

from porter.run import Result, Stream
from porter.run.advice import Limited
from porter.run.result import broken_by_name, exit_status


@frozen
class Times:
    """The times of an input in seconds: the launch, and the merge of its outputs."""

    device: float = 0.0
    merge: float = 0.0


@frozen(eq=False, slots=False)
class Answer:
    """The outputs and statuses of the interpreters that ran an input.

    Attributes:
        outputs: stdout and tracebacks in order. A second stream holds the output of interpreters
            that ended, written by their exit functions and finalisers.
        which: The indices of the interpreters that ran.
        result: The result of the whole launch.
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
        """The number of interpreters that ignored the interrupt and were stopped."""
        return self._count("STOPPED")

    @property
    def limited(self) -> tuple[Limited, ...]:
        """The limits that ended programs."""
        return self.result.limited

    @cached_property
    def exited(self) -> int:
        """The number of interpreters that raised SystemExit."""
        return self._count("EXIT")

    @cached_property
    def exit_code(self) -> int:
        """The exit code for a process, combined from all SystemExits; 0 without any."""
        exited = self.result.statuses.among(self._status, "EXIT")
        return exit_status(self.result.exit_code[self.which][exited])

    @cached_property
    def failed(self) -> int:
        """The number of interpreters that failed, SystemExit aside."""
        return int(self.result.statuses.where_failed(self._status).sum())

    @cached_property
    def broken(self) -> dict[str, int]:
        """The number of broken interpreters by the status's name."""
        return broken_by_name(self.result.statuses, self._status)
