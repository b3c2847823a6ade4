"""Checks of what a launch and a program are made of, before anything of them is used."""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from porter.base.arguments import seconds, text, utf8, whole
from porter.base.sizes import check_bounds
from porter.config import SIZE_BOUNDS
from porter.errors import UsageError, WrongType
from porter.run.feed import Feed

if TYPE_CHECKING:
    from porter.run.session import Launch

WORD = 2**32 - 1
MOST_KEPT = 2**31  # bytes of one interpreter's stream
BEYOND = 2**200  # no bound of its own: start() has one, or takes the number modulo its word

WHOLE: dict[str, tuple[int, int]] = {
    "first": (0, WORD),
    "total": (0, WORD),
    "stdout": (0, MOST_KEPT),
    "stderr": (0, MOST_KEPT),
    "print_room": (0, 2**40),
    "interrupt": (0, WORD),
    "fs_block": (0, WORD),
    "heap": (0, BEYOND),
    "pystack": (0, BEYOND),
    "stack": (0, BEYOND),
    "ring": (-BEYOND, BEYOND),
    "block": (-BEYOND, BEYOND),
    "seed": (-BEYOND, BEYOND),
}
OPTIONAL = ("total", "stdout", "stderr", "heap", "pystack", "stack")
ARRAYS = ("fs", "fs_guard", "outbuf", "code", "compiled")


class Texts(tuple[bytes, ...]):
    """What interpreters read, a text each, checked already."""


def source_of(value: Any) -> bytes:
    """Python source as bytes without a byte order mark, which CPython skips too."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    if not isinstance(value, bytes | bytearray | memoryview):
        raise WrongType(f"source: {type(value).__name__} is neither str nor bytes")
    return bytes(value).removeprefix(codecs.BOM_UTF8)


def stdin_of(value: Any) -> bytes | Texts | Feed:
    """Text that all read, or one each. A str is one text, in UTF-8."""
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
        return utf8(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    raise WrongType(f"stdin: {type(value).__name__} is neither str nor bytes")


def check_launch(launch: Launch) -> None:
    """Raise WrongType or UsageError for a field that no launch can have, and name it."""
    for name, (low, high) in WHOLE.items():
        value = getattr(launch, name)
        if value is not None or name not in OPTIONAL:
            whole(value, name, low, high)
    for name in ("kind", "console", "overflow"):
        text(getattr(launch, name), name)
    for name in ("heap", "pystack", "stack"):
        if (size := getattr(launch, name)) is not None:
            check_bounds(size, SIZE_BOUNDS[name], name)
            if size % 16:
                raise UsageError(f"{name}: {size} is not a multiple of 16 bytes")
    if launch.deadline is not None:
        seconds(launch.deadline, "deadline")
    if launch.on_output is not None and not callable(launch.on_output):
        raise WrongType(f"on_output: {type(launch.on_output).__name__} cannot be called")
    if not isinstance(launch.bind, Mapping):
        raise WrongType(f"bind: {type(launch.bind).__name__} is no mapping of names to arrays")
    if launch.cancel is not None and not hasattr(launch.cancel, "asked"):
        raise WrongType(f"cancel: {type(launch.cancel).__name__} is no porter.run.session.Cancel")


def check_arrays(launch: Launch, device: Any) -> None:
    """WrongType unless the memory that `launch` names is the device's."""
    for name in ARRAYS:
        array = getattr(launch, name)
        if array is not None and not isinstance(array, device.xp.ndarray):
            raise WrongType(f"{name}: {type(array).__name__} is not the device's array")


def per_interpreter(values: Any, n: int, name: str) -> np.ndarray[Any, Any]:
    """`n` uint32 of `values`: a sequence or an array of integers, on a GPU too."""
    on_gpu = hasattr(values, "__cuda_array_interface__") and hasattr(values, "get")
    try:
        array = np.asarray(values.get() if on_gpu else values)
    except ValueError as error:
        raise WrongType(f"{name}: {error}") from error
    if array.dtype.kind not in "iu":
        raise WrongType(f"{name}: {array.dtype} are no indices")
    if array.shape != (n,):
        raise UsageError(f"{name}: {array.shape} values for {n} interpreters")
    if array.min() < 0 or array.max() > WORD:
        raise UsageError(f"{name}: {array.min()} to {array.max()} are not from 0 to {WORD}")
    return array.astype(np.uint32)
