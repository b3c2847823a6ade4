"""Calls that interpreters make after their programs, and the expected results.

`porter.evaluation` makes them from test cases.
"""

from __future__ import annotations

from attrs import field, frozen

from porter.run.device.base import Array


@frozen(eq=False)
class DeviceCases:
    """Test cases on a device, each stored once.

    Arguments are in CPython's marshal format, version 2: a tuple of positional arguments and a dict
    of keyword arguments. Expected values are patterns (porter/evaluation/patterns.py).

    Attributes:
        arguments: The marshalled arguments of all cases.
        argument_offsets: Offsets into `arguments` (cases + 1 uint64).
        expected: The patterns of all cases.
        expected_offsets: Offsets into `expected` (cases + 1 uint64).
    """

    arguments: Array = field(repr=False)
    argument_offsets: Array = field(repr=False)
    expected: Array = field(repr=False)
    expected_offsets: Array = field(repr=False)


@frozen(eq=False)
class Calls:
    """Calls of the function `entry` of each program, and comparisons of the results.

    Attributes:
        entry: The function's name.
        cases: The test cases.
        rows: Number of calls of all interpreters.
        first_case: The case of each interpreter's first row (n uint32, on the device); each later
            row takes the next case.
        first_row: Interpreter i has the rows first_row[i] up to first_row[i + 1] (n + 1 uint32, on
            the device).
        tolerance: Relative and absolute tolerance for floats; None: exact comparison.
        value_size: Bytes kept of each result; None: results are not kept.
        renew: On the host twin, restore the interpreter before each call to its state after the
            program.
    """

    entry: str
    cases: DeviceCases
    rows: int
    first_case: Array = field(repr=False)
    first_row: Array = field(repr=False)
    tolerance: tuple[float, float] | None = None
    value_size: int | None = None
    renew: bool = False
