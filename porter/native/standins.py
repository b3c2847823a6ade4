"""Globals for a trial of a program: of the kinds that it will find, in the trial's own memory."""

from __future__ import annotations

import ctypes
from typing import Any

import attrs
import numpy as np

from porter.run import Device
from porter.run.launch.binding import Binding

MOST_COPIED = 4096  # bytes of a bound array; the rest of its stand-in is 0
MOST_ELEMENTS = 1 << 26  # of a stand-in


def like_memory(device: Device, binding: Binding) -> Binding:
    """As many elements as `binding`'s memory has, the first of them equal, in memory of their own.

    Its memory must still be there.
    """
    dtype = np.dtype(binding.typecode)
    copy = device.zeros(min(binding.count, MOST_ELEMENTS), dtype)
    if not device.on_gpu and binding.count:
        first = ctypes.string_at(binding.data, min(MOST_COPIED, copy.nbytes))
        copy.view(np.uint8)[: len(first)] = np.frombuffer(first, np.uint8)
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
