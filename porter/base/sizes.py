"""Parse and format sizes in bytes: `12K`, `64KiB`, `1M`, `4096`."""

from __future__ import annotations

import re
from fractions import Fraction

from attrs import frozen

from porter.base.arguments import index, is_bool, shown
from porter.errors import UsageError

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

MOST = 2**200  # bytes; a sanity limit, far above the bounds of every size

_FACTORS = {"": 1, "B": 1, "K": KIB, "M": MIB, "G": GIB}
_SIZE = re.compile(r"\s*(\d{1,99}(?:\.\d{1,99})?)\s*([KMG]?)(?:I?B)?\s*", re.IGNORECASE)


@frozen
class Bounds:
    """The smallest and largest value of a size in bytes; `zero` says that 0 is allowed, too."""

    low: int
    high: int
    zero: bool = False


def parse_size(value: object, name: str = "size") -> int:
    """Return a size in bytes.

    Args:
        value: An int, or a number with a unit K, M or G (powers of 1024; `KiB`, `KB` too).
        name: The name of the size for messages.

    Raises:
        WrongType: `value` is neither int nor str.
        UsageError: `value` is no size.
    """
    if is_bool(value):
        raise UsageError(f"{name}: {value!r} is not a size", hint="Write 4096, 12K, 64KiB or 1M.")
    if not isinstance(value, str):
        number = index(value, name, "a size")
        if number < 0:
            raise UsageError(f"{name}: {shown(number)} is negative")
        if number > MOST:
            raise UsageError(f"{name}: {shown(number)} is too large")
        return number
    match = _SIZE.fullmatch(value)
    if match is None:
        raise UsageError(f"{name}: {value!r} is not a size", hint="Write 4096, 12K, 64KiB or 1M.")
    digits, unit = match.groups()
    exact = Fraction(digits) * _FACTORS[unit.upper()]  # of any number of digits
    if not unit and exact.denominator != 1:
        raise UsageError(f"{name}: {value!r} is not a whole number of bytes")
    return int(exact)


def format_size(size: int) -> str:
    """Format `size` in the largest unit that is exact (`12K`), else with one decimal (`1.5M`)."""
    for unit, factor in (("G", GIB), ("M", MIB), ("K", KIB)):
        if size >= factor:
            if size % factor == 0:
                return f"{size // factor}{unit}"
            if size >= 10 * factor or unit != "K":
                return f"{size / factor:.1f}{unit}"
    return str(size)


def check_bounds(size: int, bounds: Bounds, name: str) -> int:
    """Return `size` if it lies within `bounds`; else raise UsageError with the violated bound."""
    if size == 0 and bounds.zero:
        return size
    if size < bounds.low:
        least = f"{format_size(bounds.low)}" + (", or 0" if bounds.zero else "")
        raise UsageError(
            f"{name}: {format_size(size)} is too small: the minimum is {least}",
            hint=f"Give {name} a value from {format_size(bounds.low)} to "
            f"{format_size(bounds.high)}.",
        )
    if size > bounds.high:
        raise UsageError(
            f"{name}: {format_size(size)} is too large: the maximum is {format_size(bounds.high)}",
            hint=f"Give {name} a value from {format_size(bounds.low)} to "
            f"{format_size(bounds.high)}.",
        )
    return size
