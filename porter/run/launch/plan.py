"""The plan of a launch: programs, memory and order, checked before anything is allocated.

Input: a `LaunchRequest`, the arguments of `porter.run.run`. Output: a `LaunchPlan`, the input of
`prepared.prepare`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen

from porter.base.arguments import choice, whole
from porter.base.process_bound import OfOneProcess
from porter.base.sizes import format_size
from porter.config import LOCAL_MEMORY_LIMIT, LOCAL_RESERVED
from porter.errors import NotEnoughMemory, UsageError, WrongType
from porter.run.device.base import Device
from porter.run.footprint import Footprint, MemoryBudget, round_up
from porter.run.launch.options import (
    KINDS,
    MODES,
    OVERFLOWS,
    POLICIES,
    Launch,
    Phase,
    Program,
    Sizes,
    device_arrays,
)
from porter.run.launch.order import Order, order_of
from porter.run.launch.programs import Programs, programs_of
from porter.run.streams.feed import Feed

MAXIMUM = 2**31 - 1  # maximum interpreters of one launch
MOST_RING = 1 << 30  # maximum bytes of pinned memory for rings
LEAST_LINE = 128  # bytes of the buffer in which an interpreter collects a line
ROW = 8  # bytes per word; outputs are compared word by word


@frozen(eq=False)
class LaunchRequest:
    """The arguments of `porter.run.run`.

    Attributes:
        programs: Programs or sources.
        n: Number of interpreters.
        launch: The options.
        phase: The part of the interpreters' lives that the launch covers.
        program_of: The program of each interpreter; None: all run the first.
    """

    programs: Sequence[Program | str | bytes]
    n: int
    launch: Launch
    phase: Phase
    program_of: np.ndarray[Any, Any] | None = None


@frozen(eq=False)
class LaunchPlan:
    """A checked launch of `n` interpreters.

    Attributes:
        device: The device, which may be a composite.
        n: Number of interpreters.
        launch: The options.
        phase: The phase.
        footprint: Bytes per interpreter.
        budget: Memory that was available.
        programs: The distinct programs, and the program of each interpreter.
        order: The interpreter of each thread.
    """

    device: Device
    n: int
    launch: Launch
    phase: Phase
    footprint: Footprint
    budget: MemoryBudget
    programs: Programs
    order: Order

    @property
    def spare(self) -> int:
        """Bytes that were free beside the interpreters and their programs; may be negative."""
        return self.budget.left - self.n * self.footprint.each - self.programs.size


def plan_launch(device: Device, request: LaunchRequest) -> LaunchPlan:
    """Check everything that depends on the device and the number of interpreters.

    Side effect: the phase's arenas record constraints on the order of later launches.

    Raises:
        UsageError: An option does not fit the device, or the sizes do not fit the arenas.
        WrongType: An option is no array of the device.
        NotEnoughMemory: The interpreters or programs do not fit.
    """
    launch, phase = request.launch, request.phase
    for name, array in device_arrays(launch, phase).items():
        if array is not None and not isinstance(array, device.xp.ndarray):
            raise WrongType(f"{name}: {type(array).__name__} is not the device's array")
    n = whole(request.n, "n", 1, MAXIMUM)
    arena_needed = phase.arenas is None and not device.scratch
    need = footprint(
        device,
        launch,
        inputs=_longest(launch),
        arena_needed=arena_needed,
        records=phase.records,
    )
    _check_stack(device, need)
    check_local(device, need)
    _check_options(device, launch)
    _check_arenas(phase, n, need)
    budget = free(device, need)
    budget.check(n, need.each, "--stdout, --stderr or --heap")
    programs = programs_of(device, request.programs, request.program_of, n, phase)
    programs.check(budget, n * need.each)
    order = order_of(device, programs, launch, phase)
    return LaunchPlan(device, n, launch, phase, need, budget, programs, order)


def footprint(
    device: Device,
    sizes: Sizes,
    *,
    inputs: int = 0,
    shared: int = 0,
    arena_needed: bool = False,
    records: bool = False,
) -> Footprint:
    """Return the footprint of an interpreter of these sizes on `device`; see Footprint."""
    config = device.built.config

    def chosen(name: str) -> int:
        asked = getattr(sizes, name)
        return int(config[name] if asked is None else asked)

    kept = {name: chosen(name) for name in ("stdout", "stderr")}
    # lines are collected in these buffers
    if isinstance(sizes, Launch) and sizes.console != "buffer":
        kept = {name: max(size, LEAST_LINE) for name, size in kept.items()}
    return Footprint(
        figures=device.figures,
        heap=chosen("heap"),
        pystack=chosen("pystack"),
        stack=chosen("stack"),
        stdout=round_up(kept["stdout"], ROW),
        stderr=round_up(kept["stderr"], ROW),
        inputs=inputs,
        shared=shared,
        arena_needed=arena_needed,
        record=int(device.built.constants["GPUSNEK_EXCEPTION_BYTES"]) if records else 0,
    )


def free(device: Device, need: Footprint) -> MemoryBudget:
    """Return the memory available to interpreters with the footprint `need`."""
    return device.memory_budget(need.local)


def check_device(device: object) -> None:
    """Check that `device` is an open device of this process.

    Raises:
        WrongType: It is no open device.
        LaunchFailed: It was opened before a fork, in the parent process.
    """
    if not hasattr(device, "launch"):
        raise WrongType(
            f"device: {type(device).__name__} is not an open device",
            hint="porter.run.open_device(FOLDER, TARGET) opens one.",
        )
    if isinstance(device, OfOneProcess):
        device.check_process()


def check_types(device: Device, request: LaunchRequest) -> None:
    """Raise WrongType unless `device` is one, and the request has programs and options."""
    check_device(device)
    programs, launch, phase = request.programs, request.launch, request.phase
    if Program.is_one(programs) or not isinstance(programs, Sequence):
        raise WrongType(
            f"programs: {type(programs).__name__} is not a list of programs",
            hint="Give [program], which all run.",
        )
    for name, value, kind in (("launch", launch, Launch), ("phase", phase, Phase)):
        if not isinstance(value, kind):
            raise WrongType(f"{name}: {type(value).__name__} is not a {kind.__name__}")


def _longest(launch: Launch) -> int:
    if isinstance(launch.stdin, bytes | Feed):
        return 0
    return max(map(len, launch.stdin), default=0)


def _check_stack(device: Device, need: Footprint) -> None:
    built = device.built.config["stack"]
    if device.local and need.stack > built:
        raise UsageError(
            f"stack: {need.stack} bytes, but the device build has {built}",
            hint=f"Build with --stack {need.stack}, or with --arena global.",
        )


def check_local(device: Device, need: Footprint) -> None:
    """Check that the arena and the C stack of an interpreter fit into local memory of a thread.

    Raises:
        NotEnoughMemory: They do not fit.
    """
    if device.local and need.local > LOCAL_MEMORY_LIMIT:
        raise NotEnoughMemory(
            f"heap {format_size(need.heap)}, pystack {format_size(need.pystack)} and stack "
            f"{format_size(need.stack)} take {format_size(need.local)} of local memory per thread: "
            f"this build has local arenas, and a GPU has {format_size(LOCAL_MEMORY_LIMIT)} of it",
            hint="Make heap or pystack smaller, build with --arena global, or run on the host.",
        )
    if device.on_gpu and need.stack > LOCAL_MEMORY_LIMIT - LOCAL_RESERVED:
        raise NotEnoughMemory(
            f"stack {format_size(need.stack)}: it is in local memory, and a GPU has "
            f"{format_size(LOCAL_MEMORY_LIMIT)} of it per thread",
            hint="Make stack smaller, or run on the host.",
        )


def _check_options(device: Device, launch: Launch) -> None:
    choice(launch.kind, "kind", KINDS)
    if not 0 <= launch.block <= device.most_block:
        raise UsageError(
            f"block: {launch.block} interpreters, but a block has 1 to {device.most_block} here",
            hint="On a GPU the interpreter's registers are the limit, whatever the program needs.",
        )
    options = (("console", MODES), ("overflow", OVERFLOWS), ("reconvergence", POLICIES))
    for name, known in options:
        choice(getattr(launch, name), name, known)
    if not 1 <= launch.ring <= MOST_RING:
        raise UsageError(f"ring: {launch.ring} bytes: from 1 to {MOST_RING}")
    if (launch.console == "ring") != (launch.on_output is not None):
        raise UsageError(f"console: {launch.console!r} and on_output: one needs the other")


def _check_arenas(phase: Phase, n: int, need: Footprint) -> None:
    if phase.arenas is None:
        return
    if phase.arenas.n != n:
        raise UsageError(f"{n} interpreters cannot go on in the arenas of {phase.arenas.n}")
    for name, size in phase.arenas.sizes.items():
        if getattr(need, name) != size:
            raise UsageError(f"{name}: {getattr(need, name)} bytes, but these arenas have {size}")
