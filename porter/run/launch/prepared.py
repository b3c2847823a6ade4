"""Prepare a planned launch: reserve memory, allocate its outputs and fill its record.

Input: a `LaunchPlan` for one device. Output: a `PreparedLaunch`, which `running.start_prepared`
starts. Preparing starts no kernel of the launch.
"""

from __future__ import annotations

import time

from attrs import frozen

from porter.run.device.base import Chunks, Interrupt
from porter.run.launch.outputs import Outputs, make_outputs
from porter.run.launch.plan import LaunchPlan
from porter.run.launch.record import (
    LaunchRecord,
    pack_bindings,
    pack_console,
    pack_launch,
    pack_order,
    pack_programs,
    pack_stdin,
)
from porter.run.streams.rings import Rings


@frozen(eq=False)
class PreparedLaunch:
    """A launch on one device that can start.

    Attributes:
        plan: The plan.
        record: The launch record, and the owners of the memory that it points to.
        threads: Number of threads.
        chunks: The division into kernels; None where interpreters leave no snapshots.
        interrupt: The interrupt word.
        outputs: The arrays for results.
        rings: The output rings; None where output is read after the launch.
        timings: Seconds of each step.
    """

    plan: LaunchPlan
    record: LaunchRecord
    threads: int
    chunks: Chunks | None
    interrupt: Interrupt
    outputs: Outputs
    rings: Rings | None
    timings: dict[str, float]


def prepare(plan: LaunchPlan, began: float) -> PreparedLaunch:
    """Allocate the memory of a launch, and fill its record.

    The templates of the launch are made before, because making them may use the memory that is
    reserved here for snapshots.

    Args:
        plan: The plan.
        began: The time at which planning began, by time.monotonic().

    Raises:
        NotEnoughMemory: The snapshots do not fit.
        UsageError: An option with one value per interpreter has another number of values.
    """
    device, launch, phase = plan.device, plan.launch, plan.phase
    chunks = _reserve_snapshots(plan)
    if phase.arenas is not None and phase.copies is not None:
        phase.arenas.store.add_base(phase.copies.owner)
    planned = time.monotonic()
    interrupt = device.interrupt(launch.interrupt)
    record = LaunchRecord.empty(device)
    pack_launch(record, plan, interrupt)
    pack_programs(record, plan.programs, phase)
    pack_stdin(record, launch.stdin, plan.n)
    pack_bindings(record, launch, phase)
    outputs = make_outputs(record, plan)
    rings = pack_console(record, launch, plan.n)
    threads = pack_order(record, plan.order, plan.n)
    record.upload()
    timings = {"fork": planned - began, "prepare": time.monotonic() - planned}
    return PreparedLaunch(plan, record, threads, chunks, interrupt, outputs, rings, timings)


def _reserve_snapshots(plan: LaunchPlan) -> Chunks | None:
    """Allocate memory for the snapshots that the launch writes, beside its other memory."""
    arenas, device = plan.phase.arenas, plan.device
    if arenas is None:
        return None
    threads = plan.n if plan.order.threads is None else len(plan.order.threads)
    whole = arenas.at_once or plan.order.threads is not None
    block = plan.launch.block or device.block
    spare = None if plan.phase.stop else plan.spare
    return device.grow(arenas, threads, block, spare, whole=whole)
