"""What a launch calls once its programs have run, and what it compares the results with."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import field, frozen

from porter.run.device.base import Array


@frozen(eq=False)
class DeviceCases:
    """Cases on a device, each once. Offsets: uint64[cases + 1] into the bytes before them.

    Arguments are of CPython's marshal format, version 2: of a tuple of positional arguments and a
    dict of others. Expected values are patterns (porter/evaluation/patterns.py).
    """

    arguments: Array = field(repr=False)
    argument_offsets: Array = field(repr=False)
    expected: Array = field(repr=False)
    expected_offsets: Array = field(repr=False)


@frozen(eq=False)
class Calls:
    """Calls of the function `entry` of each program, and comparisons of what they return.

    Interpreter i has the rows first_row[i] up to first_row[i + 1] (n + 1 uint32); its first row
    has case first_case[i] (n uint32), the next one the next case. tolerance: relative and absolute,
    for floats; None: exact. value_size: bytes kept of each result; None: results are not wanted.
    renew: on the host twin each call begins as the program left its interpreter, whatever the calls
    before it did.
    """

    entry: str
    cases: DeviceCases
    first_case: np.ndarray[Any, Any] = field(repr=False)
    first_row: np.ndarray[Any, Any] = field(repr=False)
    tolerance: tuple[float, float] | None = None
    value_size: int | None = None
    renew: bool = False

    @property
    def rows(self) -> int:
        """How many calls there are in all."""
        return int(self.first_row[-1])
