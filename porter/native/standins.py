"""Globals for a trial of a program: of the kinds that it will find, in the trial's own memory."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from porter.errors import UsageError
from porter.run import Device
from porter.run.device.base import Array
from porter.run.launch.binding import TYPECODES, Binding, of_arrays

MOST_COPIED = 4096  # bytes of a bound array; the rest of its stand-in is 0
MOST_ELEMENTS = 1 << 26  # of a stand-in


def like_memory(device: Device, binding: Binding) -> Binding:
    """As many elements as `binding`'s memory has, the first of them equal, in memory of their own.

    Its memory must still be there.
    """
    first = b""
    if not device.on_gpu and binding.count:
        size = min(MOST_COPIED, binding.count * np.dtype(binding.typecode).itemsize)
        first = ctypes.string_at(binding.data, size)
    copy = _begun(device, np.dtype(binding.typecode), binding.count, first)
    at = device.address(copy) if copy.size else 0
    return attrs.evolve(binding, data=at, stride=0, count=copy.size, keep=copy)


def like_value(device: Device, binding: Binding) -> Binding:
    """The value that interpreter 0 gets, without those of the others."""
    keep: Any = binding.keep
    if keep is None:
        return binding
    if binding.counts:
        rows, counts = keep
        count = int(device.host(counts[:1])[0])
        text = device.array(device.host(rows[: binding.stride]).copy())
        at = device.address(text)
        return attrs.evolve(binding, data=at, stride=0, count=count, counts=0, keep=text)
    if binding.stride == 0:
        return binding
    word = device.array(device.host(keep[:1]).copy())
    return attrs.evolve(binding, data=device.address(word), stride=0, keep=word)


def like_arrays(device: Device, arrays: Mapping[str, Any]) -> list[Binding]:
    """As many elements as each of `arrays` has, of its type; the first of NumPy's are equal.

    They may be of any device: what is read of the others is their type and size. Raises UsageError.
    """
    copies = {}
    for name, array in arrays.items():
        try:
            dtype, count = np.dtype(array.dtype), int(array.size)
        except (AttributeError, TypeError):
            found = type(array).__name__
            raise UsageError(f"bound: {name} is a {found}, not an array of numbers") from None
        if dtype.char not in TYPECODES or not dtype.isnative:
            raise UsageError(f"bound: {name} has elements of {dtype}, which array has not")
        first = b""
        if isinstance(array, np.ndarray):
            first = array.reshape(-1)[: MOST_COPIED // dtype.itemsize].tobytes()
        copies[name] = _begun(device, dtype, count, first)
    return of_arrays(device, copies)


def _begun(device: Device, dtype: np.dtype[Any], count: int, first: bytes) -> Array:
    """`count` elements on `device`, at most MOST_ELEMENTS, that begin with these bytes."""
    made = device.zeros(min(count, MOST_ELEMENTS), dtype)
    made.view(np.uint8)[: len(first)] = device.array(np.frombuffer(first, np.uint8))
    return made
