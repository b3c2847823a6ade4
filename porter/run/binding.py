"""Arrays that a launch's programs find as memoryviews: the table of `launch.h`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from porter.errors import UsageError
from porter.run.device import Array, Device

TYPECODES = "bBhHiIlLqQfd"  # numpy's and array's letters for the same types


def table(device: Device, bind: Mapping[str, Array]) -> tuple[np.ndarray[Any, Any], list[Array]]:
    """Rows of gpusnek_binding_t, and the names on the device that they point at.

    The arrays are the device's, contiguous; programs see them without dimensions. Raises
    UsageError.
    """
    rows = np.zeros(len(bind), device.built.structs["gpusnek_binding_t"])
    names = []
    for row, (name, array) in zip(rows, bind.items(), strict=True):
        if not name.isidentifier():
            raise UsageError(f"bind: {name!r} is not a name")
        if not isinstance(array, device.xp.ndarray):
            raise UsageError(f"bind: {name} is a {type(array).__name__}, not the device's array")
        if array.dtype.char not in TYPECODES or not array.dtype.isnative:
            raise UsageError(f"bind: {name} has elements of {array.dtype}, which array has not")
        if not array.flags.c_contiguous:
            raise UsageError(f"bind: {name} is not contiguous")
        names.append(device.array(np.frombuffer(name.encode() + b"\0", np.uint8)))
        row["name"] = device.address(names[-1])
        row["memory"] = device.address(array) if array.size else 0
        row["count"] = array.size
        row["typecode"] = ord(array.dtype.char)
    return rows, names
