"""Calls in a launch record, and memory for their results."""

from __future__ import annotations

from typing import Any

import numpy as np

from porter.base.arguments import utf8
from porter.run.device.base import Array, Device
from porter.run.launch.calls import Calls
from porter.run.launch.record import Packed
from porter.run.result import CallRows


def pack_calls(packed: Packed, calls: Calls) -> CallRows:
    """Enter the calls in the record of `packed`, and allocate memory for their results."""
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
