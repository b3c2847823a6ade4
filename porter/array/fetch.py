"""Fetch variable-size values that interpreters announced, by a second launch that copies them.

The first launch reports the size of each value. The second one copies the values to memory that was
allocated for these sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from porter.run import Device
from porter.run.device.base import Array
from porter.run.launch.spec import Fetch

Fetcher = Callable[[Fetch], None]
NOTHING = np.uint64(2**64 - 1)  # launch.h: the interpreter has no bytes to fetch


def fetch_packed(
    device: Device, lengths: np.ndarray[Any, Any], fetcher: Fetcher
) -> tuple[memoryview, np.ndarray[Any, Any]]:
    """Fetch the bytes of all interpreters to the host.

    Args:
        device: The device of the interpreters.
        lengths: Bytes of each interpreter (n int64); 0 where it has none.
        fetcher: Runs the second launch.

    Returns:
        The concatenated bytes, and the end of each interpreter's (n int64).
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
    """Fetch the bytes of interpreters to device rows: one zero-padded row of uint64 each.

    Args:
        device: The device of the interpreters.
        chosen: Indices of the interpreters (m).
        lengths: Bytes of each of all n interpreters (uint64).
        fetcher: Runs the second launch.
    """
    stride = -(-int(lengths[chosen].max()) // 8)
    rows = device.zeros((len(chosen), stride), np.uint64)
    offsets = np.full(len(lengths), NOTHING, np.uint64)
    offsets[chosen] = np.arange(len(chosen), dtype=np.uint64) * np.uint64(8 * stride)
    fetcher(Fetch(rows, device.array(offsets)))
    return rows
