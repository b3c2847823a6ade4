"""Bindings: globals that a launch defines in interpreters, packed for the launch record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from attrs import field, frozen

from porter.errors import UsageError
from porter.run.device.base import Array, Device

MOST_NAME = 255  # bytes; upstream's limit for qstrs (MICROPY_QSTR_BYTES_IN_LEN)
TYPECODES = "bBhHiIlLqQfd"  # type codes that numpy and the array module share


@frozen(eq=False)
class Binding:
    """A global `name` in the __main__ of every interpreter.

    Attributes:
        name: The global's name.
        kind: GPUSNEK_BIND_* of interp.h, without the prefix.
        data: Address of the memory, or of interpreter 0's value, for interpreters.
        stride: Bytes between the values of consecutive interpreters; 0: all share one value.
        count: Number of elements, or bytes of a text.
        counts: Address of n uint32 that replace `count` per interpreter; 0: none.
        typecode: Type code of the elements.
        keep: The owner of these addresses.
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
    """Copy the table of `bindings` to the device. Returns the table and the names it refers to."""
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
    """Make bindings for contiguous arrays of the device; programs see them as one-dimensional.

    Args:
        device: The device of the arrays.
        bind: The arrays by name.

    Raises:
        UsageError: A name or an array is not suitable.
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
