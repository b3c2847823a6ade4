"""Tables of native code and type feedback in a launch record (gpusnek_native_t of interp.h)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import field, frozen

from porter.errors import UsageError
from porter.run.device.base import Array, Device


@frozen(eq=False)
class Native:
    """Native code of a program's bytecode, or buffers for its type feedback.

    Attributes:
        code: The bytecode on the device, where interpreters execute it.
        entries: For each byte the number of the native entry point there, 0 for none (uint16).
        run: Address of the native code, or its module's number in the kernels.
        exits: Number of side exits per guard (uint32).
        seen: For each byte, the type on top of the stack before that instruction (built.seen). With
            this buffer no native code runs.
        keep: The owner of the native code.
    """

    code: Array
    entries: Array
    run: int = 0
    exits: Array | None = None
    seen: Array | None = None
    keep: object = field(default=None, repr=False)


def pack_natives(device: Device, natives: Sequence[Native]) -> tuple[Array, list[object]]:
    """Copy the table of `natives` to the device.

    Returns:
        The table, and objects that must live as long.

    Raises:
        UsageError: The build runs no native code.
    """
    structs = device.built.structs
    if (
        "gpusnek_natives_t" not in structs
        or device.built.config.get("profile")
        or device.built.bounds_checks
    ):
        raise UsageError(
            "this build runs no native code of programs", hint="Make one with `porter build`."
        )
    each = np.zeros(len(natives), structs["gpusnek_native_t"])
    ordered = sorted(natives, key=lambda native: device.address(native.code))
    for row, native in zip(each, ordered, strict=True):
        row["code"], row["size"] = device.address(native.code), native.code.nbytes
        row["run"] = native.run
        for name in ("entries", "exits", "seen"):
            array = getattr(native, name)
            row[name] = 0 if array is None else device.address(array)
    rows = device.array(each.view(np.uint8))
    low, last = int(each[0]["code"]), each[-1]
    table = np.zeros((), structs["gpusnek_natives_t"])
    table["count"], table["each"] = len(each), device.address(rows)
    table["low"], table["span"] = low, int(last["code"]) + int(last["size"]) - low
    return device.array(table.reshape(1).view(np.uint8)), [rows, *natives]
