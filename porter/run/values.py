"""Return values of programs: numbers as an array on their device, others as Python objects.

A launch reports the type and 64 bits of each value. Values of variable size are only announced:
the launch reports their size. `Fetcher` runs a second launch that copies them to memory allocated
for these sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from porter.base.untrusted import text_of, value_of
from porter.run import Device
from porter.run.device.base import Array
from porter.run.launch.options import Fetch
from porter.run.result import Values


def kinds(device: Device) -> dict[str, int]:
    """Return Built.value as plain integers, for comparisons in NumPy."""
    return {member.name: int(member) for member in device.built.value}


def numbers(device: Device, values: Values, default: object = None) -> Array | None:
    """Return all values as one array on the device: bool, int64 or float64.

    Integers among floats become floats. Where all are integers, or all floats, only the types are
    copied to the host.

    Args:
        device: The device of the interpreters.
        values: Their values.
        default: The value of interpreters without one.

    Returns:
        The array; None if the values are not such numbers.
    """
    kind = kinds(device)
    of, bits = _filled(device, values, default)
    counts = np.bincount(of, minlength=len(kind))
    n = len(of)
    if counts[kind["INT"]] == n:
        return _placed(device, bits).view(np.int64)
    if counts[kind["FLOAT"]] == n:
        return _placed(device, bits).view(np.float64)
    here = bits if isinstance(bits, np.ndarray) else device.host(bits)
    if counts[kind["BOOL"]] == n:
        return device.array(here.astype(np.bool_))
    if counts[kind["INT"]] + counts[kind["FLOAT"]] == n:
        whole = here.view(np.int64).astype(np.float64)
        return device.array(np.where(of == kind["INT"], whole, here.view(np.float64)))
    return None


def _filled(device: Device, values: Values, default: object) -> tuple[np.ndarray[Any, Any], Array]:
    """Return types (numpy) and bits (anywhere); the number `default` replaces missing values."""
    kind, of = kinds(device), device.host(values.kind)
    if isinstance(default, bool):
        filler, name = np.uint64(default), "BOOL"
    elif isinstance(default, int) and -(2**63) <= default < 2**63:
        filler, name = np.int64(default).view(np.uint64), "INT"
    elif isinstance(default, float):
        filler, name = np.float64(default).view(np.uint64), "FLOAT"
    else:
        return of, values.bits
    none = of == kind["NONE"]
    if not none.any():
        return of, values.bits
    return np.where(none, np.uint8(kind[name]), of), np.where(
        none, filler, device.host(values.bits)
    )


def _placed(device: Device, bits: Array) -> Array:
    """Return `bits` as an array of the device."""
    return bits if isinstance(bits, device.xp.ndarray) else device.array(bits)


def objects(device: Device, values: Values, fetcher: Fetcher, default: object) -> list[Any]:
    """Convert every value to a Python object; `default` for interpreters without a value."""
    kind = kinds(device)
    of, bits = device.host(values.kind), device.host(values.bits)
    lengths = byte_lengths(kind, of, bits)
    data, ends = fetch_packed(device, lengths, fetcher)
    return decoded(kind, of, bits, data, ends - lengths, default)


def byte_lengths(
    kind: dict[str, int], of: np.ndarray[Any, Any], bits: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """Return the bytes that each value has besides its bits (int64).

    Args:
        kind: The result of `kinds`.
        of: The values' types.
        bits: The values' bits.
    """
    return np.where(of >= kind["DATA"], bits, np.uint64(0)).astype(np.int64)


def decoded(
    kind: dict[str, int],
    of: np.ndarray[Any, Any],
    bits: np.ndarray[Any, Any],
    data: memoryview,
    starts: np.ndarray[Any, Any],
    default: object,
) -> list[Any]:
    """Decode values to Python objects. All arguments are on the host.

    Args:
        kind: The result of `kinds`.
        of: The values' types (uint8).
        bits: The values' bits (uint64).
        data: The values' bytes.
        starts: The bytes of value i start at starts[i].
        default: For interpreters without a value.

    Returns:
        The objects; bytes in an invalid format give an Unreadable (porter/base/untrusted.py).
    """
    ends = starts + byte_lengths(kind, of, bits)
    ints, floats = bits.view(np.int64).tolist(), bits.view(np.float64).tolist()
    found: list[Any] = [default] * len(of)
    for i in np.flatnonzero(of != kind["NONE"]).tolist():
        k = of[i]
        if k == kind["INT"]:
            found[i] = ints[i]
        elif k == kind["FLOAT"]:
            found[i] = floats[i]
        elif k == kind["BOOL"]:
            found[i] = bool(ints[i])
        elif k == kind["STR"]:
            found[i] = text_of(data[starts[i] : ends[i]])
        elif k == kind["BYTES"]:
            found[i] = bytes(data[starts[i] : ends[i]])
        else:
            found[i] = value_of(data[starts[i] : ends[i]], wrapped=k == kind["WRAPPED"])
    return found


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
