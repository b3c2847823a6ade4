"""Globals that interpreters get from outside, as the launch record wants them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from attrs import field, frozen

from porter.errors import UsageError
from porter.run.device.base import Array, Device

MOST_NAME = 255  # bytes: what upstream's qstrs can be at most (MICROPY_QSTR_BYTES_IN_LEN)
TYPECODES = "bBhHiIlLqQfd"  # numpy's and array's letters for the same types


@frozen(eq=False)
class Binding:
    """A global `name` of every interpreter's __main__.

    kind: GPUSNEK_BIND_* of interp.h, without the prefix. data: address of the memory, or of
    interpreter 0's value, as interpreters see it. stride: bytes from one interpreter's to the
    next one's; 0: there is one for all. count: elements, or bytes of a text; counts: address of n
    uint32 instead. keep: what owns these addresses.
    """

    name: str
    kind: str
    data: int = 0
    stride: int = 0
    count: int = 0
    counts: int = 0
    typecode: str = "B"
    keep: object = field(default=None, repr=False)


def pack(device: Device, bindings: Sequence[Binding]) -> tuple[Array, Array]:
    """The table of `bindings` on the device, and the names that it points at."""
    texts = [binding.name.encode() + b"\0" for binding in bindings]
    names = device.array(np.frombuffer(b"".join(texts), np.uint8))
    at = device.address(names)
    table = np.zeros(len(bindings), device.built.structs["gpusnek_binding_t"])
    for row, binding, text in zip(table, bindings, texts, strict=True):
        row["name"], at = at, at + len(text)
        for name in ("data", "stride", "count", "counts"):
            row[name] = getattr(binding, name)
        row["kind"] = device.built.bind[binding.kind]
        row["typecode"] = ord(binding.typecode)
    return device.array(table.view(np.uint8)), names


def of_arrays(device: Device, bind: Mapping[str, Array]) -> list[Binding]:
    """The device's own contiguous arrays by name; programs see them without dimensions.

    Raises UsageError.
    """
    found = []
    for name, array in bind.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise UsageError(f"bind: {name!r} is not a name")
        if len(name.encode()) > MOST_NAME:
            raise UsageError(f"bind: {name[:20]}... is longer than {MOST_NAME} bytes")
        if not isinstance(array, device.xp.ndarray):
            raise UsageError(f"bind: {name} is a {type(array).__name__}, not the device's array")
        if array.dtype.char not in TYPECODES or not array.dtype.isnative:
            raise UsageError(f"bind: {name} has elements of {array.dtype}, which array has not")
        if not array.flags.c_contiguous:
            raise UsageError(f"bind: {name} is not contiguous")
        address = device.address(array) if array.size else 0
        found.append(Binding(name, "MEMORY", address, 0, array.size, 0, array.dtype.char, array))
    return found
