"""What expressions gave: numbers as an array where they are, anything else as a list."""

from __future__ import annotations

import array
import marshal
from typing import Any

import numpy as np
from attrs import frozen

from porter.array.fetch import Fetcher, fetch_packed
from porter.errors import LaunchFailed
from porter.run import Device
from porter.run.device.base import Array
from porter.run.result import Values


@frozen(repr=False)
class Repr:
    """Stands for an object that has no counterpart here: what its `repr` was."""

    text: str

    def __repr__(self) -> str:
        return self.text


def kinds(device: Device) -> dict[str, int]:
    """Built.value as plain integers, which NumPy compares with."""
    return {member.name: int(member) for member in device.built.value}


def numbers(device: Device, values: Values, default: object = None) -> Array | None:
    """All values as one array on the device: bool, int64 or float64; None if they are not that.

    Integers among floats become floats. `default`: the value of those that have none. Where all are
    integers, or all floats, nothing travels but the kind of each.
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
    """Kinds (numpy) and bits (anywhere), with the number `default` where there is no value."""
    kind, of = kinds(device), device.host(values.kind)
    if isinstance(default, bool):
        filler, name = np.uint64(default), "BOOL"
    elif isinstance(default, int) and -(2**63) <= default < 2**63:
        filler, name = np.int64(default).view(np.uint64), "INT"
    elif isinstance(default, float):
        filler, name = np.float64(default).view(np.uint64), "FLOAT"
    else:
        return of, values.bits
    none = (of == kind["NONE"]) | (of == kind["ERROR"])
    if not none.any():
        return of, values.bits
    return np.where(none, np.uint8(kind[name]), of), np.where(
        none, filler, device.host(values.bits)
    )


def _placed(device: Device, bits: Array) -> Array:
    """`bits` on the device."""
    return bits if isinstance(bits, device.xp.ndarray) else device.array(bits)


def objects(device: Device, values: Values, fetcher: Fetcher, default: object) -> list[Any]:
    """Every value as a Python object; `default` for interpreters that have none."""
    kind = kinds(device)
    of, bits = device.host(values.kind), device.host(values.bits)
    lengths = byte_lengths(kind, of, bits)
    data, ends = fetch_packed(device, lengths, fetcher)
    return decoded(kind, of, bits, data, ends - lengths, default)


def byte_lengths(
    kind: dict[str, int], of: np.ndarray[Any, Any], bits: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """How many bytes each value has beside its bits (int64). kind: `kinds`; of, bits: of values."""
    kept = (of >= kind["DATA"]) & (of != kind["ERROR"])
    return np.where(kept, bits, np.uint64(0)).astype(np.int64)


def decoded(
    kind: dict[str, int],
    of: np.ndarray[Any, Any],
    bits: np.ndarray[Any, Any],
    data: memoryview,
    starts: np.ndarray[Any, Any],
    default: object,
) -> list[Any]:
    """Values as Python objects, of their kinds (uint8), bits (uint64) and bytes, all on the host.

    data, starts: the bytes of value i begin at starts[i]. default: for those that are none.
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
            found[i] = str(data[starts[i] : ends[i]], "utf-8", "surrogatepass")
        elif k == kind["BYTES"]:
            found[i] = bytes(data[starts[i] : ends[i]])
        elif k != kind["ERROR"]:
            found[i] = _load(data[starts[i] : ends[i]], k == kind["WRAPPED"], i)
    return found


def _load(data: bytes | memoryview, wrapped: bool, index: int) -> Any:
    """The object in `data` as templates/port/marshal.c writes it. `index`: whose it is."""
    try:
        value = marshal.loads(data)
    except (ValueError, EOFError, TypeError) as error:
        raise LaunchFailed(f"the value of interpreter {index} does not read: {error}") from error
    return unwrap(value) if wrapped else value


def unwrap(value: Any) -> Any:
    """`value`, as marshal read it, with what the format has no code for (marshal.h)."""
    if isinstance(value, tuple) and value and value[0] is StopIteration:
        return _special(*value[1:])
    if isinstance(value, dict):
        return {unwrap(key): unwrap(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return type(value)(map(unwrap, value))
    return value


def _special(first: str | bytes, data: bytes | None = None) -> object:
    if isinstance(first, bytes):
        return bytearray(first)
    return Repr(first) if data is None else array.array(first, data)
