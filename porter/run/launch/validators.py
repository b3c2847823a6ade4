"""Converters and validators of the attrs fields in options.py, for launches and programs."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from porter.base import arguments
from porter.base.sizes import check_bounds
from porter.config import SIZE_BOUNDS
from porter.errors import UsageError, WrongType
from porter.run.streams.feed import Feed

WORD = 2**32 - 1
MOST_KEPT = 2**31  # bytes of one interpreter's stream
ANY = 2**200  # no bound here: plan.py checks it, or the number is reduced modulo its word size

Validator = Callable[[Any, "attrs.Attribute[Any]", Any], None]


class Texts(tuple[bytes, ...]):
    """Validated stdin texts, one per interpreter."""


def source_of(value: Any) -> bytes:
    """Convert Python source to bytes. A byte order mark is dropped, as CPython does."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    if not isinstance(value, bytes | bytearray | memoryview):
        raise WrongType(f"source: {type(value).__name__} is neither str nor bytes")
    return bytes(value).removeprefix(codecs.BOM_UTF8)


def stdin_of(value: Any) -> bytes | Texts | Feed:
    """Convert stdin: one text for all interpreters, or one text each. A str becomes UTF-8."""
    if isinstance(value, Texts | Feed):
        return value
    if isinstance(value, str | bytes | bytearray | memoryview):
        return _bytes(value)
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    if not isinstance(value, Sequence):
        raise WrongType(
            f"stdin: {type(value).__name__} is neither text nor a sequence of texts",
            hint="Give bytes or a str for all, or a list with one for each.",
        )
    return Texts(map(_bytes, value))


def _bytes(value: Any) -> bytes:
    if isinstance(value, str):
        return arguments.utf8(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    raise WrongType(f"stdin: {type(value).__name__} is neither str nor bytes")


def whole(low: int = -ANY, high: int = ANY) -> Validator:
    """Return a validator for integers from `low` to `high`."""

    def check(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
        arguments.whole(value, attribute.name, low, high)

    return check


def size(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Validate the bytes of a part of an arena."""
    arguments.whole(value, attribute.name, 0, ANY)
    check_bounds(value, SIZE_BOUNDS[attribute.name], attribute.name)
    if value % 16:
        raise UsageError(f"{attribute.name}: {value} is not a multiple of 16 bytes")


def boolean(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Validate True or False."""
    arguments.flag(value, attribute.name)


def string(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Validate a str."""
    arguments.text(value, attribute.name)


def seconds(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Validate a finite, positive time."""
    arguments.seconds(value, attribute.name)


def clock(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Validate a time since 1970."""
    arguments.seconds(value, attribute.name, arguments.MOST_CLOCK)


def mapping(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Validate a mapping of names to arrays."""
    if not isinstance(value, Mapping):
        name = type(value).__name__
        raise WrongType(f"{attribute.name}: {name} is no mapping of names to arrays")


def function(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Validate a callable."""
    if not callable(value):
        raise WrongType(f"{attribute.name}: {type(value).__name__} cannot be called")


def instance(kind: type) -> Validator:
    """Return a validator for instances of `kind`."""

    def check(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
        if not isinstance(value, kind):
            raise WrongType(f"{attribute.name}: {type(value).__name__} is not {kind.__name__}")

    return check


def sequence(kind: type) -> Validator:
    """Return a validator for sequences of `kind`."""

    def check(_: object, attribute: attrs.Attribute[Any], value: Any) -> None:
        if not isinstance(value, Sequence) or not all(isinstance(item, kind) for item in value):
            raise WrongType(f"{attribute.name}: a sequence of {kind.__name__} is wanted")

    return check


def per_interpreter(values: Any, n: int, name: str) -> np.ndarray[Any, Any]:
    """Convert one integer per interpreter to an array.

    Args:
        values: A sequence or an array of integers, on the host or a GPU.
        n: Number of interpreters.
        name: The argument's name in messages.

    Returns:
        n uint32.

    Raises:
        WrongType: The values are not integers.
        UsageError: Their number or range is wrong.
    """
    on_gpu = hasattr(values, "__cuda_array_interface__") and hasattr(values, "get")
    try:
        array = np.asarray(values.get() if on_gpu else values)
    except ValueError as error:
        raise WrongType(f"{name}: {error}") from error
    if array.dtype.kind not in "iu":
        raise WrongType(f"{name}: {array.dtype} are no indices")
    if array.shape != (n,):
        raise UsageError(f"{name}: {array.shape} values for {n} interpreters")
    if array.dtype != np.uint32 and (array.min() < 0 or array.max() > WORD):
        raise UsageError(f"{name}: {array.min()} to {array.max()} are not from 0 to {WORD}")
    return array.astype(np.uint32)
