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
    device: Device, lengths: np.ndarray[Any, Any], fetcher: Fetcher
) -> tuple[memoryview, np.ndarray[Any, Any]]:
    """The bytes of all interpreters one after the other, and where each one's end (n int64).

    lengths: n int64; 0 for those that have nothing.
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1])
    if not total:
        return memoryview(b""), ends
    memory = device.zeros(total, np.uint8)
    offsets = np.where(lengths > 0, (ends - lengths).astype(np.uint64), NOTHING)
    fetcher(Fetch(memory, device.array(offsets)))
    return device.host(memory).data, ends


def fetch_rows(
    device: Device,
    chosen: np.ndarray[Any, Any],
    lengths: np.ndarray[Any, Any],
    fetcher: Fetcher,
) -> Array:
    """The bytes of interpreters, on the device, a zero-padded row of uint64 each.

    chosen: m indices. lengths: bytes of each of all n interpreters (uint64).
    """
    stride = -(-int(lengths[chosen].max()) // 8)
    rows = device.zeros((len(chosen), stride), np.uint64)
    offsets = np.full(len(lengths), NOTHING, np.uint64)
    offsets[chosen] = np.arange(len(chosen), dtype=np.uint64) * np.uint64(8 * stride)
    fetcher(Fetch(rows, device.array(offsets)))
    return rows
