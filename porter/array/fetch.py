"""Getting bytes that interpreters announced: a second launch copies them to where they fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from porter.run import Device
from porter.run.device.base import Array
from porter.run.launch.spec import Fetch

Fetcher = Callable[[Fetch], None]
NOTHING = np.uint64(2**64 - 1)  # launch.h: not this interpreter's


def fetch_packed(
    device: Device, lengths: Array, fetcher: Fetcher
) -> tuple[memoryview, np.ndarray[Any, Any]]:
    """The bytes of all interpreters one after the other, and where each one's end (n int64).

    lengths: n int64, on the device; 0 for those that have nothing.
    """
    xp = device.xp
    ends = xp.cumsum(lengths)
    total = int(ends[-1])
    if total:
        memory = device.zeros(total, np.uint8)
        offsets = xp.where(lengths > 0, (ends - lengths).astype(np.uint64), NOTHING)
        fetcher(Fetch(memory, offsets))
        return device.host(memory).data, device.host(ends)
    return memoryview(b""), device.host(ends)


def fetch_rows(device: Device, chosen: Array, lengths: Array, fetcher: Fetcher) -> Array:
    """The bytes of the interpreters `chosen` (m indices), a zero-padded row of uint64 each."""
    xp = device.xp
    stride = -(-int(lengths[chosen].max()) // 8)
    rows = device.zeros((len(chosen), stride), np.uint64)
    offsets = xp.full(len(lengths), NOTHING, np.uint64)
    offsets[chosen] = xp.arange(len(chosen), dtype=np.uint64) * np.uint64(8 * stride)
    fetcher(Fetch(rows, offsets))
    return rows
