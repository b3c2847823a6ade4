"""Encode arguments and expected values as the bytes that interpreters read."""

from __future__ import annotations

import array
import marshal
from collections.abc import Iterator
from typing import Any

from porter.errors import UsageError, WrongType

MOST_DEPTH = 40  # nested containers; interpreters recurse over them on their C stacks
VERSION = 2  # of the marshal format: no references between values
_ATOMS = frozenset({type(None), bool, int, float, complex, bytes, type(...)})
_TYPECODES = "bBhHiIlLqQfd"
_KNOWN = (
    "None, bool, int, float, complex, str, bytes, bytearray, array, list, tuple, dict, set, "
    "frozenset and ..."
)


def encode(value: Any, name: str) -> bytes:
    """Encode `value` in CPython's marshal format.

    Args:
        value: The value.
        name: The value's name in messages.

    Raises:
        WrongType: Interpreters have no such type.
        UsageError: The value is nested too deep, or a str is not valid Unicode.
    """
    return marshal.dumps(_plain(value, name, 0), VERSION)


def _plain(value: Any, name: str, depth: int) -> Any:
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is str:
        return _text(value, name)
    if depth == MOST_DEPTH:
        raise UsageError(f"{name}: nested more than {MOST_DEPTH} deep")
    if kind in (list, tuple, set, frozenset):
        return kind(_items(value, name, depth))
    if kind is dict:
        keys = _items(value, f"a key of {name}", depth)
        return dict(zip(keys, _items(value.values(), name, depth), strict=True))
    if kind is bytearray:
        return (StopIteration, bytes(value))
    if kind is array.array and value.typecode in _TYPECODES:
        return (StopIteration, value.typecode, value.tobytes())
    raise _refused(value, name)


def _items(values: Any, name: str, depth: int) -> Iterator[Any]:
    for value in values:
        yield value if type(value) in _ATOMS else _plain(value, name, depth + 1)


def _text(value: str, name: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{name}: {error}") from error
    return value


def _refused(value: Any, name: str) -> WrongType:
    hint = f"There are {_KNOWN}."
    if hasattr(value, "tolist"):
        hint = "Give its tolist(), which has Python's own numbers."
    return WrongType(f"{name}: {type(value).__name__} is no value of an interpreter", hint=hint)
