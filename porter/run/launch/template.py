"""Templates: one interpreter boots and compiles, the others of a launch begin as its copies.

Local arenas lie at the same address in every thread, so an image with all its pointers holds for
any other interpreter (DESIGN.md, "The arena"). Bytecode goes to memory that all read: a warp then
fetches an instruction once, where 32 private copies would take 32 times the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from porter.errors import LaunchFailed
from porter.run.device.base import Arenas, Device, Template
from porter.run.footprint import Footprint
from porter.run.launch.limits import NANOSECONDS, least, time_limit
from porter.run.launch.plan import Plan
from porter.run.launch.spec import Launch, Phase, Program
from porter.run.result import Result

PAYS_FROM = 512  # interpreters; below, a second launch costs more than it saves
COPIED = ("file", "single", "eval")  # of programs that copies can share

# What runs a launch to its end (start.run). It is handed in, for it asks for templates itself.
Run = Callable[[Device, Sequence[Program], int, Launch, Phase], Result]


def find(
    device: Device,
    programs: Sequence[Program | str | bytes],
    plan: Plan,
    run: Run,
    *,
    chosen: bool,
) -> Template | None:
    """What the interpreters of `plan` begin as; None where each must boot by itself.

    chosen: they run different programs. A program that does not compile gives None too, so that
    each reports it.
    """
    if chosen or len(programs) > 1 or not _applies(device, plan):
        return None
    program = Program.of(programs[0]) if plan.phase.execute else Program(b"")
    key = _key(program, plan)
    kept = device.templates.get(key)
    if kept is not None:
        return kept
    made = _make(device, program, plan, run)
    if made is not None:
        device.templates.keep(key, made)
    return made


def clone(device: Device, arenas: Arenas, index: int, run: Run) -> None:
    """Make all interpreters that rest in `arenas` copies of interpreter `index`.

    Each keeps its own threadIdx, blockIdx and localIdx, and gets random numbers of its own.
    Raises UsageError where interpreters cannot be copied, LaunchFailed.
    """
    alone = device.single(arenas, index)
    launch = Launch(heap=arenas.sizes["heap"], pystack=arenas.sizes["pystack"])
    template = Template(alone, None, device.built.flag["FORK"])
    phase = Phase(arenas=arenas, template=template, stop=False, execute=False)
    result = run(device, [], arenas.n, launch, phase)
    if result.status.any():
        raise LaunchFailed(f"interpreter {index} has ended, and cannot be copied")


def _applies(device: Device, plan: Plan) -> bool:
    launch, phase = plan.launch, plan.phase
    return (
        device.local
        and launch.fork is not False
        and (bool(launch.fork) or plan.n >= PAYS_FROM)
        and phase.code is None
        and not phase.compiling
        and phase.compiled is None
        and not phase.going_on
        and launch.kind in COPIED
        # Allocations are counted from the start; a mounted file system knows whose it is.
        and launch.fail_allocation is None
        and launch.fs is None
    )


def _key(program: Program, plan: Plan) -> Hashable:
    launch, need = plan.launch, plan.footprint
    return (
        program,
        launch.kind,
        plan.phase.execute,
        launch.gc_stress,
        launch.outbuf is not None,
        *(need.heap, need.pystack, need.stack),
    )


def _make(device: Device, program: Program, plan: Plan, run: Run) -> Template | None:
    launch, need = plan.launch, plan.footprint
    arenas = device.arenas(1, need.pystack, need.heap)
    # Bytecode is shorter than its source but for the shortest programs.
    code = device.zeros(4096 + 2 * len(program.source), np.uint8)
    phase = Phase(arenas=arenas, stop=False, execute=plan.phase.execute, code=code)
    result = run(device, [program], 1, _alone(launch, need), phase)
    status, flag = device.built.status, device.built.flag
    if result.status[0] != status["OK"]:
        return None
    return Template(arenas, code, flag["FORK"] | (flag["COMPILED"] if plan.phase.execute else 0))


def _alone(launch: Launch, need: Footprint) -> Launch:
    return Launch(
        kind=launch.kind,
        heap=need.heap,
        pystack=need.pystack,
        stack=need.stack,
        gc_stress=launch.gc_stress,
        outbuf=launch.outbuf,
        cancel=launch.cancel,
        fork=False,
        # Compiling has the deadline of the program, of which one interpreter may have the least.
        deadline=least(time_limit(launch.deadline)) / NANOSECONDS or None,
    )
