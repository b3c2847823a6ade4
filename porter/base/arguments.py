"""Check arguments of public functions: WrongType for a type, UsageError for a value."""

from __future__ import annotations

import math
import operator
import os
from pathlib import Path
from typing import Any

from porter.errors import UsageError, WrongType

StrPath = str | os.PathLike[str]  # the type of every public parameter for a path
MOST_SECONDS = 1e9  # thirty years; system clocks may not support more
MOST_CLOCK = 1e10  # seconds since 1970, the year 2286; in nanoseconds below 2**64


def whole(value: Any, name: str, low: int, high: int) -> int:
    """`value`, an integer of any kind but bool, from `low` to `high`."""
    number = index(value, name)
    if not low <= number <= high:
        raise UsageError(f"{name}: {shown(number)} is not from {low} to {high}")
    return number


def index(value: Any, name: str, what: str = "a whole number") -> int:
    """`value`, an integer of any kind but bool. what: for the message of the WrongType."""
    try:
        if is_bool(value):
            raise TypeError
        return operator.index(value)
    except TypeError as error:
        raise WrongType(f"{name}: {_kind(value)} is not {what}") from error


def flag(value: Any, name: str) -> bool:
    """`value`, True or False, or a NumPy bool; WrongType for anything else, "no" and 0 included."""
    if not is_bool(value):
        raise WrongType(f"{name}: {_kind(value)} is neither True nor False")
    return bool(value)


def is_bool(value: Any) -> bool:
    """Return whether `value` is a bool, Python's or a scalar of NumPy or CuPy."""
    if isinstance(value, bool):
        return True
    # Without NumPy, which not every command needs.
    return getattr(getattr(value, "dtype", None), "kind", "") == "b" and value.shape == ()


def seconds(value: Any, name: str, most: float = MOST_SECONDS) -> float:
    """Return `value` as seconds from 0 to `most`: not negative, infinite or `nan`."""
    try:
        if isinstance(value, str | bytes) or is_bool(value):
            raise TypeError
        number = float(value)
    except TypeError as error:
        raise WrongType(f"{name}: {_kind(value)} is not a number of seconds") from error
    except OverflowError:
        number = math.inf
    if not 0 <= number <= most:
        raise UsageError(
            f"{name}: {number:g} is not a time from 0 to {most:g}",
            hint=f"Leave {name} out for no limit." if number > most == MOST_SECONDS else None,
        )
    return number


def path(value: Any, name: str) -> Path:
    """`value`, a str or os.PathLike, as a Path."""
    text = path_text(value, name)
    if "\0" in text or not text:
        raise UsageError(f"{name}: {text!r} is not a path")
    return Path(text)


def path_text(value: Any, name: str) -> str:
    """`value`, a str, bytes or os.PathLike, as a str. Raises WrongType."""
    try:
        return os.fsdecode(value)
    except TypeError as error:
        raise WrongType(f"{name}: {_kind(value)} is not a path") from error


def as_path(value: StrPath) -> Path:
    """Return `value` as a Path; a converter for attrs' fields."""
    return path(value, "path")


def text(value: Any, name: str) -> str:
    """Return `value`, a str without NUL characters."""
    if not isinstance(value, str):
        raise WrongType(f"{name}: {_kind(value)} is not text")
    if "\0" in value:
        raise UsageError(f"{name}: {value!r} contains a NUL character")
    return value


def choice(value: Any, name: str, known: tuple[str, ...]) -> str:
    """Return `value`, one of `known`."""
    if not isinstance(value, str):
        raise WrongType(f"{name}: {_kind(value)} is not one of {', '.join(known)}")
    if value not in known:
        raise UsageError(f"{name}: {value!r} is not one of {', '.join(known)}")
    return value


def utf8(value: str) -> bytes:
    """Encode `value` as UTF-8. Escaped bytes (`surrogateescape`) become the original bytes."""
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that is no escaped byte
        return value.encode("utf-8", "surrogatepass")


def shown(number: int) -> str:
    """Return `number` for a message; Python refuses to convert thousands of digits."""
    return str(number) if number.bit_length() < 1000 else f"a number of {number.bit_length()} bits"


def _kind(value: Any) -> str:
    return "None" if value is None else type(value).__name__
