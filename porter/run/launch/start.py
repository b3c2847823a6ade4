"""Start a launch: plan it, find or make templates, fill the record, start the device's kernel.

All launches go through `run` or `start`. Waiting and results are in `started`.
"""

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

    Interpreters of several programs are sorted by program (order.py).

    Args:
        device: An open device.
        programs: Programs or sources.
        n: Number of interpreters.
        launch: Options; None: the defaults.
        phase: The part of interpreters' lives to run; None: the whole life.
        program_of: Interpreter i runs programs[program_of[i]]; GPUSNEK_NO_PROGRAM: it stays idle.
            None: all run programs[0].

    Raises:
        NotEnoughMemory: The interpreters do not fit, and none started. Or persistent interpreters
            of a later chunk (device/chunks.py) did not fit; these are unchanged.
        LaunchFailed: The device failed.
        UsageError: An option is invalid.
        LaunchInterrupted: Ctrl-C came; the error has the result.
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
    """Start a launch as `run` does, without waiting."""
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
    # After the templates: their launch may use the memory that snapshots leave free.
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
    """Allocate memory for the snapshots that the launch writes, beside its other memory."""
    arenas, n = planned.phase.arenas, planned.n
    assert arenas is not None
    spare = planned.room.left - n * planned.footprint.each - programs.size
    threads = n if order.threads is None else len(order.threads)
    whole = arenas.at_once or order.threads is not None
    block = planned.launch.block or device.block
    leaves = not planned.phase.stop
    return device.grow(arenas, threads, block, spare if leaves else None, whole=whole)


def clone(device: Device, arenas: Arenas, index: int, block: int = 0) -> None:
    """Replace all idle interpreters in `arenas` by copies of interpreter `index`.

    See template.clone.

    Args:
        device: The device of the arenas.
        arenas: The interpreters.
        index: The interpreter to copy.
        block: Interpreters per block, as in their launches.

    Raises:
        UsageError: The interpreters cannot be copied.
        LaunchFailed: The copy failed.
    """
    template.clone(device, arenas, index, run, block)
