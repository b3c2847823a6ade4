"""Output arrays of a launch: allocated for its record, converted to its Result afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from porter.base.arguments import utf8
from porter.run.advice import Lack, find, limited
from porter.run.device.base import Array, Device
from porter.run.launch.calls import Calls
from porter.run.launch.counters import allocate_counters
from porter.run.launch.plan import LaunchPlan
from porter.run.launch.record import LaunchRecord
from porter.run.result import CallRows, Counted, Result, Values
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
        self, plan: LaunchPlan, seconds: float, interrupted: bool, timings: dict[str, float]
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
            self._exit_codes(device, ends),
            self.allocations,
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

    def _exit_codes(self, device: Device, ends: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the codes of SystemExit; no copy from the device where no program exited."""
        if device.built.status.among(ends, "EXIT").any():
            return device.host(self.exit_code)
        return np.zeros(len(ends), np.int32)


def make_outputs(record: LaunchRecord, plan: LaunchPlan) -> Outputs:
    """Allocate the output arrays, and enter their addresses in the record of `record`."""
    device, n = record.device, plan.n

    def zeros(field: str, dtype: Any) -> Array:
        return record.own(field, device.zeros(n, dtype))

    phase, rings = plan.phase, plan.launch.console == "ring"
    rows = n if phase.calls is None else phase.calls.rows

    def stream(name: str, size: int) -> Stream:
        words = record.own(f"{name}_base", device.zeros((rows, size // 8), np.uint64))
        lengths = record.own(f"{name}_length", device.zeros(rows, np.uint32))
        return Stream(device, words, lengths, size)

    def records() -> Stream:
        size = plan.footprint.record
        words = record.own("exceptions", device.zeros((rows, size // 8), np.uint64))
        return Stream(device, words, device.array(np.full(rows, size, np.uint32)), size)

    not_run = np.full(n, device.built.status["STATUS_NOT_RUN"], np.int32)
    if phase.fetch is not None:
        record.own("data_base", phase.fetch.memory)
        record.own("data_offsets", phase.fetch.offsets)
        if phase.fetch.sizes is not None:
            record.own("data_sizes", phase.fetch.sizes)
    return Outputs(
        stream("stdout", plan.footprint.stdout),
        stream("stderr", plan.footprint.stderr),
        record.own("status", device.array(not_run)),
        zeros("exit_code", np.int32),
        zeros("lack", np.uint64),
        zeros("allocations", np.uint32),
        zeros("steps", np.uint64),
        Values(zeros("value_kind", np.uint8), zeros("value", np.uint64)) if phase.values else None,
        zeros("lost", np.uint32) if rings else None,
        None if phase.calls is None else pack_calls(record, phase.calls),
        _counted(record, plan),
        records() if phase.records else None,
    )


def _counted(record: LaunchRecord, plan: LaunchPlan) -> Counted | None:
    if plan.launch.counting is None:
        return None
    counted = allocate_counters(record.device, plan.launch.counting, plan.n)
    record.own("profile", counted.buffers)
    record.fields["profile_rooms"], record.fields["profile_stride"] = counted.buffers.shape
    record.fields["profile_step"] = counted.step
    return counted


CALL_ROWS = {"equal": np.uint8, "steps": np.uint64, "lack": np.uint8, "missing": np.uint32}


def pack_calls(record: LaunchRecord, calls: Calls) -> CallRows:
    """Enter the calls in the record of `record`, and allocate memory for their results."""
    device = record.device
    judging = np.zeros((), device.built.structs["gpusnek_judging_t"])

    def own(name: str, array: Array) -> Array:
        record.owned.append(array)
        judging[name] = device.address(array) if array.size else 0
        return array

    rows, cases = calls.rows, calls.cases
    own("entry", device.array(np.frombuffer(utf8(calls.entry) + b"\0", np.uint8)))
    for name in ("arguments", "argument_offsets", "expected", "expected_offsets"):
        own(name, getattr(cases, name))
    own("first_case", calls.first_case)
    own("first_row", calls.first_row)
    if calls.tolerance is not None:
        own("tolerance", device.array(np.array(calls.tolerance, np.float64)))
    not_run = np.full(rows, device.built.status["STATUS_NOT_RUN"], np.int32)
    status = own("status", device.array(not_run))
    counted = {name: own(name, device.zeros(rows, kind)) for name, kind in CALL_ROWS.items()}
    values = {} if calls.value_size is None else _values(device, own, rows, calls.value_size)
    judging["value_size"] = calls.value_size or 0
    record.own("judging", device.array(judging.reshape(1).view(np.uint8)))
    return CallRows(status, **counted, **values)


def _values(device: Device, own: Any, rows: int, size: int) -> dict[str, Array]:
    return {
        "kind": own("value_kind", device.zeros(rows, np.uint8)),
        "bits": own("value", device.zeros(rows, np.uint64)),
        "data": own("value_base", device.zeros((rows, size), np.uint8)),
    }
