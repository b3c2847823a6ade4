"""Starting a launch: plan, template, record, device. The only way in."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from porter.run.device.base import Arenas, Chunks, Device
from porter.run.device.images import base_on
from porter.run.device.several import Several
from porter.run.launch import abandoned, several, template
from porter.run.launch.order import Order, order_of
from porter.run.launch.outputs import make_outputs
from porter.run.launch.plan import Plan, check_types
from porter.run.launch.programs import Programs, plan_programs
from porter.run.launch.record import (
    Packed,
    pack_bindings,
    pack_code,
    pack_console,
    pack_launch,
    pack_order,
    pack_programs,
    pack_stdin,
)
from porter.run.launch.spec import Launch, Phase, Program
from porter.run.launch.started import Started, StartedOnOne
from porter.run.result import Result


def run(
    device: Device,
    programs: Sequence[Program | str | bytes],
    n: int,
    launch: Launch | None = None,
    phase: Phase | None = None,
    *,
    program_of: np.ndarray[Any, Any] | None = None,
) -> Result:
    """Run `n` interpreters on `device` and wait for them.

    All run programs[0], or interpreter i runs programs[program_of[i]]; where that is
    GPUSNEK_NO_PROGRAM it rests. Threads take several programs in the order of programs (order.py).
    Raises NotEnoughMemory before anything starts, or, of interpreters that persist in a launch of
    several chunks (device/chunks.py), where those of later chunks found no room and are as they
    were; LaunchFailed, UsageError; LaunchInterrupted with what there is, after Ctrl-C.
    """
    result = start(device, programs, n, launch, phase, program_of=program_of).wait()
    if result.refused is not None:
        raise result.refused
    return result


def start(
    device: Device,
    programs: Sequence[Program | str | bytes],
    n: int,
    launch: Launch | None = None,
    phase: Phase | None = None,
    *,
    program_of: np.ndarray[Any, Any] | None = None,
) -> Started:
    """As run, without waiting."""
    abandoned.check_not_ending()
    launch = Launch() if launch is None else launch
    phase = Phase() if phase is None else phase
    check_types(device, programs, launch, phase)
    if isinstance(device, Several):
        return several.start(device, _on_one, programs, n, launch, phase, program_of)
    return _on_one(device, programs, n, launch, phase, program_of)


def _on_one(
    device: Device,
    programs: Sequence[Program | str | bytes],
    n: int,
    launch: Launch,
    phase: Phase,
    program_of: np.ndarray[Any, Any] | None,
) -> StartedOnOne:
    begun = time.monotonic()
    planned, chosen = plan_programs(device, programs, n, launch, phase, program_of)
    order = order_of(device, chosen, launch, phase)
    if phase.copies is None:
        phase = attrs.evolve(phase, copies=template.find(device, chosen, planned, run))
        planned = attrs.evolve(planned, phase=phase)
    # After the templates, whose launch may take what no images need.
    chunks = None if phase.arenas is None else _grow(device, planned, chosen, order)
    if phase.copies is not None:
        base_on(phase.arenas, phase.copies.keep)
    forked = time.monotonic()
    interrupt = device.interrupt(launch.interrupt)
    packed = Packed.empty(device)
    pack_launch(packed, planned, interrupt)
    if phase.compiled is not None:
        pack_code(packed, phase.compiled, phase, chosen)
    elif phase.execute:
        pack_programs(packed, chosen)
    pack_stdin(packed, launch.stdin, planned.n)
    pack_bindings(packed, launch, phase)
    outputs = make_outputs(packed, planned)
    rings = pack_console(packed, launch, planned.n)
    threads = pack_order(packed, order, planned.n)
    started = time.monotonic()
    running = device.launch(packed.record, threads, chunks)
    timings = {"fork": forked - begun, "prepare": started - forked}
    return StartedOnOne(
        packed, planned, order, running, interrupt, outputs, started, timings, rings
    )


def _grow(device: Device, planned: Plan, programs: Programs, order: Order) -> Chunks | None:
    """Room for what the launch leaves in its arenas, beside what else it takes."""
    arenas, n = planned.phase.arenas, planned.n
    assert arenas is not None
    spare = planned.room.left - n * planned.footprint.each - programs.size
    threads = n if order.threads is None else len(order.threads)
    whole = arenas.at_once or order.threads is not None
    block = planned.launch.block or device.block
    leaves = not planned.phase.stop
    return device.grow(arenas, threads, block, spare if leaves else None, whole=whole)


def clone(device: Device, arenas: Arenas, index: int, block: int = 0) -> None:
    """Make all interpreters that rest in `arenas` copies of interpreter `index`.

    block: as their launches have it. Raises UsageError where they cannot be, LaunchFailed. See
    template.clone.
    """
    template.clone(device, arenas, index, run, block)
