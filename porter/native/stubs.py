"""Stubs of bindings for a profiling run: globals of the same types in memory of their own.

The profiling run (profiling_run.py) may write to these without a change to the user's arrays.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from porter.errors import UsageError
from porter.run import Device
from porter.run.device.base import Array
from porter.run.launch.bindings import TYPECODES, Binding, of_arrays

MOST_COPIED = 4096  # bytes copied from a bound array; the rest of its stub is 0
MOST_ELEMENTS = 1 << 26  # maximum number of elements in a stub


def like_memory(device: Device, binding: Binding) -> Binding:
    """Return a stub of a bound array: equal length and type, in memory of its own.

    On the host twin the first elements are copied; the others are 0.

    Args:
        device: The device of the stub.
        binding: Binding of the array, whose memory must still be allocated.
    """
    first = b""
    if not device.on_gpu and binding.count:
        size = min(MOST_COPIED, binding.count * np.dtype(binding.typecode).itemsize)
        first = ctypes.string_at(binding.data, size)
    copy = _begun(device, np.dtype(binding.typecode), binding.count, first)
    at = device.address(copy) if copy.size else 0
    return attrs.evolve(binding, data=at, stride=0, count=copy.size, keep=copy)


def like_value(device: Device, binding: Binding) -> Binding:
    """Return a binding of the value for interpreter 0, without the values for the others."""
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
    """Return stubs of arrays that are not bound yet: equal lengths and types.

    Args:
        device: The device of the stubs.
        arrays: Arrays by name, on any device. First elements of NumPy arrays are copied. Of other
            arrays only type and size are read.

    Raises:
        UsageError: A value is no array of numbers, or has elements of an unsupported type.
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
    """Return an array on `device` that begins with the bytes `first`; the rest is 0."""
    made = device.zeros(min(count, MOST_ELEMENTS), dtype)
    made.view(np.uint8)[: len(first)] = device.array(np.frombuffer(first, np.uint8))
    return made
