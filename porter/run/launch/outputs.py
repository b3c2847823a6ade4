"""Output arrays of a launch: allocated for its record, converted to its Result afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from porter.run.counted import Counted
from porter.run.device.base import Array
from porter.run.lacks import Lack, find
from porter.run.launch.counting import make_rooms
from porter.run.launch.plan import Plan
from porter.run.launch.record import Packed
from porter.run.launch.rows import pack_calls
from porter.run.limited import limited
from porter.run.result import CallRows, Result, Values
from porter.run.streams.groups import Stream


@frozen(eq=False)
class Outputs:
    """A launch's output arrays on the device, with one element or row per interpreter (launch.h).

    Attributes `values` and `records` exist where the launch asks for them, `lost` where output goes
    through rings.
    """

    stdout: Stream
    stderr: Stream
    status: Array
    exit_code: Array
    lack: Array
    allocations: Array
    steps: Array
    values: Values | None
    lost: Array | None
    calls: CallRows | None = None
    counted: Counted | None = None
    records: Stream | None = None

    def result(
        self, plan: Plan, seconds: float, interrupted: bool, timings: dict[str, float]
    ) -> Result:
        """Build the Result of an ended launch."""
        device = self.stdout.device
        ends = device.host(self.status)
        failed = device.built.status.where_failed(ends)
        sizes = {name: getattr(plan.footprint, name) for name in ("heap", "pystack", "stack")}
        limits = {"max_steps": plan.launch.max_steps, "deadline": plan.launch.deadline}
        lacks: tuple[Lack, ...] = ()
        if failed.any():
            lack = device.host(self.lack)
            lacks = find(lack, failed, sizes, device.built.lack, local=device.local)
        return Result(
            self.stdout,
            self.stderr,
            ends,
            device.host(self.exit_code),
            device.host(self.allocations),
            seconds,
            interrupted,
            timings,
            self.values,
            None if self.lost is None else device.host(self.lost),
            lacks,
            limited(device.built.status, ends, limits),
            self.steps,
            calls=self.calls,
            counted=self.counted,
            records=self.records,
        )


def make_outputs(packed: Packed, plan: Plan) -> Outputs:
    """Allocate the output arrays, and enter their addresses in the record of `packed`."""
    device, n = packed.device, plan.n

    def zeros(field: str, dtype: Any) -> Array:
        return packed.own(field, device.zeros(n, dtype))

    phase, rings = plan.phase, plan.launch.console == "ring"
    rows = n if phase.calls is None else phase.calls.rows

    def stream(name: str, size: int) -> Stream:
        words = packed.own(f"{name}_base", device.zeros((rows, size // 8), np.uint64))
        lengths = packed.own(f"{name}_length", device.zeros(rows, np.uint32))
        return Stream(device, words, lengths, size)

    def records() -> Stream:
        size = plan.footprint.record
        words = packed.own("exceptions", device.zeros((rows, size // 8), np.uint64))
        return Stream(device, words, device.array(np.full(rows, size, np.uint32)), size)

    not_run = np.full(n, device.built.status["STATUS_NOT_RUN"], np.int32)
    if phase.fetch is not None:
        packed.own("data_base", phase.fetch.memory)
        packed.own("data_offsets", phase.fetch.offsets)
    return Outputs(
        stream("stdout", plan.footprint.stdout),
        stream("stderr", plan.footprint.stderr),
        packed.own("status", device.array(not_run)),
        zeros("exit_code", np.int32),
        zeros("lack", np.uint64),
        zeros("allocations", np.uint32),
        zeros("steps", np.uint64),
        Values(zeros("value_kind", np.uint8), zeros("value", np.uint64)) if phase.values else None,
        zeros("lost", np.uint32) if rings else None,
        None if phase.calls is None else pack_calls(packed, phase.calls),
        _counted(packed, plan),
        records() if phase.records else None,
    )


def _counted(packed: Packed, plan: Plan) -> Counted | None:
    if plan.launch.counting is None:
        return None
    counted = make_rooms(packed.device, plan.launch.counting, plan.n)
    packed.own("profile", counted.rooms)
    packed.record["profile_rooms"], packed.record["profile_stride"] = counted.rooms.shape
    packed.record["profile_step"] = counted.step
    return counted
