"""Divide bindings: convert a launch's globals for one of several devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from porter.run.device.several import Share
from porter.run.device.shadows import memory_at
from porter.run.launch.binding import Binding

WORD = 8  # bytes of a bound number
GONE = ("REVOKE", "FORGET")
MEMORY = ("MEMORY", "READ_ONLY")


def divided_bindings(share: Share, bindings: Sequence[Binding]) -> list[Binding]:
    """Convert the bindings of all interpreters to those of `share`.

    On a GPU, host memory is replaced by a device copy. The copy of a bound array lasts until the
    array is unbound.
    """
    return [_divided(share, binding) for binding in bindings]


def _divided(share: Share, binding: Binding) -> Binding:
    if binding.kind in GONE:
        return _gone(share, binding)
    part, device = share.part, share.part.device
    data, size = binding.data, _size(binding)
    if binding.stride:
        data, size = data + binding.stride * part.first, binding.stride * part.count
    counts = binding.counts and binding.counts + 4 * part.first
    if not device.on_gpu:
        return attrs.evolve(binding, data=data, counts=counts)
    if binding.kind in MEMORY:
        writable = binding.kind == "MEMORY"
        copy = _of(share, data, size, binding.keep, writable=writable)
        return attrs.evolve(binding, data=copy, keep=(binding.keep, share.shadows))
    keep: list[Any] = [device.array(memory_at(data, size)) if size else None]
    data = device.address(keep[0]) if size else 0
    if counts:
        keep.append(device.array(memory_at(counts, 4 * part.count)))
        counts = device.address(keep[1])
    return attrs.evolve(binding, data=data, counts=counts, keep=(binding.keep, keep))


def _of(share: Share, address: int, size: int, keep: object, *, writable: bool) -> int:
    if not size:
        return 0
    copy = share.shadows.of(memory_at(address, size), keep, writable=writable)
    return share.part.device.address(copy)


def _gone(share: Share, binding: Binding) -> Binding:
    copy = share.shadows.drop(binding.keep)
    if copy is None:
        return binding
    at, size = share.part.device.address(copy), int(copy.size)
    # Revoke it even where another bound array has the same memory, because that one has its own
    # copy.
    return attrs.evolve(binding, kind="REVOKE", data=at, count=size, keep=(binding.keep, copy))


def _size(binding: Binding) -> int:
    """Return the bytes of the value that all share; texts per interpreter have counts instead."""
    if binding.kind in MEMORY:
        return binding.count * np.dtype(binding.typecode).itemsize
    if binding.kind in ("STR", "BYTES"):
        return binding.count
    return 0 if binding.kind == "NONE" else WORD
