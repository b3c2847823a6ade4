"""Convert Python values to bindings: one value for all interpreters, or one for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from porter.errors import BindingError, WrongType
from porter.run import Device
from porter.run.device.base import Array
from porter.run.launch.bindings import Binding

# By numpy's kind: GPUSNEK_BIND_*, and the 8-byte type of the transfer.
_WORDS = {"b": ("BOOL", np.uint64), "i": ("INT", np.int64), "u": ("UINT", np.uint64),
          "f": ("FLOAT", np.float64)}  # fmt: skip


def value_binding(device: Device, n: int, name: str, value: object) -> Binding:
    """Bind `value` to the global `name` of all `n` interpreters, or value[i] of interpreter i.

    Raises:
        WrongType: A value's type is not supported.
        BindingError: The number of values is not n, or an integer is too large.
    """
    if value is None:
        return Binding(name, "NONE")
    value = device.local_value(value)
    if isinstance(value, str | bytes):
        return _texts(device, name, [value], each=False)
    if isinstance(value, list | tuple):
        _check_length(name, len(value), n)
        if value and all(isinstance(item, str) for item in value):
            return _texts(device, name, value, each=True)
        if value and all(isinstance(item, bytes) for item in value):
            return _texts(device, name, value, each=True)
    array = _numbers(device, name, value)
    if array.ndim > 1:
        raise BindingError(f"{name}: an array of shape {array.shape} holds no value for each")
    if array.ndim == 1:
        _check_length(name, array.shape[0], n)
    kind, word = _WORDS[array.dtype.kind]
    words = _words(device, array, word)
    stride = 8 if array.ndim else 0
    return Binding(name, kind, device.address(words), stride, keep=words)


def _words(device: Device, array: Any, word: Any) -> Array:
    """Copy `array`, NumPy's or the device's own, to a vector of `word` on the device."""
    if not isinstance(array, np.ndarray):
        array = device.host(array)
    return device.array(np.array(array, word, order="C").reshape(-1))


def _check_length(name: str, length: int, n: int) -> None:
    if length != n:
        raise BindingError(f"{name}: {length} values for {n} interpreters")


def _numbers(device: Device, name: str, value: object) -> Any:
    """Convert scalars, sequences and arrays of numbers to an array, NumPy's or the device's own."""
    items = value if isinstance(value, list | tuple) and value else [value]
    if all(isinstance(item, int) and not isinstance(item, bool) for item in items):
        word = np.int64 if max(items) < 2**63 else np.uint64
        try:
            return np.array(value, word)
        except OverflowError as error:
            raise BindingError(
                f"{name}: an integer of more than 64 bits cannot come from outside",
                hint="Give exec() the assignment, where integers have no limit.",
            ) from error
    here = isinstance(value, device.xp.ndarray)
    try:
        array: Any = value if here else np.asarray(value)
    except (ValueError, TypeError) as error:  # ragged lists; arrays on another device
        raise WrongType(f"{name}: {error}") from error
    if array.dtype.kind not in _WORDS:
        raise WrongType(
            f"{name}: {type(value).__name__} of {array.dtype} is no value from outside",
            hint="Numbers, str, bytes and None are, and sequences of them, one for each.",
        )
    return array


def _texts(device: Device, name: str, values: Sequence[str | bytes], *, each: bool) -> Binding:
    kind = "STR" if isinstance(values[0], str) else "BYTES"
    try:
        texts = [value.encode() if isinstance(value, str) else value for value in values]
    except UnicodeEncodeError as error:
        raise BindingError(f"{name}: {error}") from error
    stride = max(1, *map(len, texts)) if len(texts) > 1 else max(1, len(texts[0]))
    rows = device.array(np.frombuffer(b"".join(t.ljust(stride, b"\0") for t in texts), np.uint8))
    counts = device.array(np.array([len(text) for text in texts], np.uint32))
    at = device.address(rows)
    if not each:
        return Binding(name, kind, at, 0, len(texts[0]), keep=rows)
    return Binding(name, kind, at, stride, 0, device.address(counts), keep=(rows, counts))
