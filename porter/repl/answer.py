"""What one input gave."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import attrs
import numpy as np
from attrs import frozen

from porter.run import Result, Stream
from porter.run.result import exit_status


@frozen(eq=False, slots=False)
class Answer:
    """What the interpreters that ran wrote, and how they ended.

    outputs: stdout and tracebacks in order; then, where some ended, what they wrote while ending.
    which: the indices of those that ran. values: the build's constants (Built.constants).
    """

    outputs: tuple[Stream, ...]
    which: np.ndarray[Any, Any]
    result: Result
    values: Mapping[str, int] = attrs.field(repr=False)

    @cached_property
    def _status(self) -> np.ndarray[Any, Any]:
        status: np.ndarray[Any, Any] = self.result.status[self.which]
        return status

    @cached_property
    def stopped(self) -> int:
        """How many were stopped hard."""
        return int((self._status == self.values["GPUSNEK_STOPPED"]).sum())

    @cached_property
    def exited(self) -> int:
        """How many ended by SystemExit."""
        return int((self._status == self.values["GPUSNEK_EXIT"]).sum())

    @cached_property
    def exit_code(self) -> int:
        """What SystemExits end a process with (exit_status); 0 where there was none."""
        exited = self._status == self.values["GPUSNEK_EXIT"]
        return exit_status(self.result.exit_code[self.which][exited])

    @cached_property
    def failed(self) -> int:
        """How many ended neither well nor by SystemExit."""
        well = int((self._status == self.values["GPUSNEK_OK"]).sum())
        return len(self.which) - well - self.exited

    @cached_property
    def broken(self) -> dict[str, int]:
        """How many broke, by the status's name."""
        names = {v: k for k, v in self.values.items() if k.startswith("GPUSNEK_STATUS_")}
        numbers, counts = np.unique(self._status[self._status < 0], return_counts=True)
        return {
            names.get(int(number), str(number)): int(count)
            for number, count in zip(numbers, counts, strict=True)
        }
