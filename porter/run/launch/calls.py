"""What a launch calls once its programs have run, and what it compares the results with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen

from porter.base.arguments import utf8
from porter.run.device.base import Array, Device
from porter.run.result import CallRows

if TYPE_CHECKING:
    from porter.run.launch.record import Packed


@frozen(eq=False)
class DeviceCases:
    """Cases on a device, each once. Offsets: uint64[cases + 1] into the bytes before them.

    Bytes are of CPython's marshal format, version 2: of a tuple of positional arguments and a dict
    of others, and of what the call shall return.
    """

    arguments: Array = field(repr=False)
    argument_offsets: Array = field(repr=False)
    expected: Array = field(repr=False)
    expected_offsets: Array = field(repr=False)


@frozen(eq=False)
class Calls:
    """Calls of the function `entry` of each program, and comparisons of what they return.

    Interpreter i has the rows first_row[i] up to first_row[i + 1] (n + 1 uint32); its first row
    has case first_case[i] (n uint32), the next one the next case. tolerance: relative and absolute,
    for floats; None: exact. value_size: bytes kept of each result; None: results are not wanted.
    """

    entry: str
    cases: DeviceCases
    first_case: np.ndarray[Any, Any] = field(repr=False)
    first_row: np.ndarray[Any, Any] = field(repr=False)
    tolerance: tuple[float, float] | None = None
    value_size: int | None = None

    @property
    def rows(self) -> int:
        """How many calls there are in all."""
        return int(self.first_row[-1])


def pack_calls(packed: Packed, calls: Calls) -> CallRows:
    """The calls in the record of `packed`, and memory for what they leave."""
    device = packed.device
    judging = np.zeros((), device.built.structs["gpusnek_judging_t"])

    def own(name: str, array: Array) -> Array:
        packed.keep.append(array)
        judging[name] = device.address(array) if array.size else 0
        return array

    rows, cases = calls.rows, calls.cases
    own("entry", device.array(np.frombuffer(utf8(calls.entry) + b"\0", np.uint8)))
    for name in ("arguments", "argument_offsets", "expected", "expected_offsets"):
        own(name, getattr(cases, name))
    own("first_case", device.array(calls.first_case))
    own("first_row", device.array(calls.first_row))
    if calls.tolerance is not None:
        own("tolerance", device.array(np.array(calls.tolerance, np.float64)))
    not_run = np.full(rows, device.built.status["STATUS_NOT_RUN"], np.int32)
    status = own("status", device.array(not_run))
    counted = {
        name: own(name, device.zeros(rows, kind))
        for name, kind in (("equal", np.uint8), ("steps", np.uint64), ("lack", np.uint8))
    }
    values = {} if calls.value_size is None else _values(device, own, rows, calls.value_size)
    judging["value_size"] = calls.value_size or 0
    packed.own("judging", device.array(judging.reshape(1).view(np.uint8)))
    return CallRows(status, **counted, **values)


def _values(device: Device, own: Any, rows: int, size: int) -> dict[str, Array]:
    return {
        "kind": own("value_kind", device.zeros(rows, np.uint8)),
        "bits": own("value", device.zeros(rows, np.uint64)),
        "data": own("value_base", device.zeros((rows, size), np.uint8)),
    }
