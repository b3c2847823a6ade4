"""Templates: boot and compile in one interpreter per program, and start the others as its copies.

Local arenas lie at the same address in every thread. A snapshot, with all its pointers, is
therefore valid in any other interpreter (docs/architecture.md, "The arena"). Bytecode goes to
memory that all copies read: a warp then fetches an instruction once, where 32 private copies would
take 32 times the cache. One launch before the actual one makes the templates of all its programs.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

import attrs
import numpy as np

from porter.base.sizes import format_size
from porter.errors import LaunchFailed, NotEnoughMemory
from porter.run.device.base import Arenas, Device
from porter.run.device.images import address_of
from porter.run.device.templates import TemplateBatch
from porter.run.footprint import WORD
from porter.run.launch.limits import Each, least, time_limit
from porter.run.launch.plan import Plan
from porter.run.launch.programs import Programs
from porter.run.launch.spec import CodeRoom, Copies, Launch, Phase, Program
from porter.run.result import Result

# Minimum number of copies; below it, a second launch costs more than it saves.
PAYS_FROM = 512
# Minimum interpreters per program in a launch of several programs. A template's single thread
# executes as many instructions as a warp that boots and compiles one program. It moves less memory:
# a quarter of what half a warp moves. The possible loss is therefore the second launch, and later
# launches find the templates.
PAYS_EACH = 16
COPIED = ("file", "single", "eval")  # compilation modes whose programs copies can share
# Bytes for bytecode beyond twice the source. Only bytecode of very short sources is longer than
# twice the source.
CODE_ROOM = 4096
CODE_GRAIN = 64


class Run(Protocol):
    """A function that runs a launch to its end: start.run, which imports this module."""

    def __call__(
        self,
        device: Device,
        programs: Sequence[Program],
        n: int,
        launch: Launch,
        phase: Phase,
        *,
        program_of: np.ndarray[Any, Any] | None = None,
    ) -> Result:
        """Return the launch's result."""
        ...


def find(device: Device, programs: Programs, plan: Plan, run: Run) -> Copies | None:
    """Return the templates for the interpreters of `plan`; None where all boot by themselves.

    Interpreters of a program that does not compile boot by themselves, and report the error.

    Raises:
        NotEnoughMemory: The caller asked for copies, and their templates do not fit.
    """
    if not _applies(device, plan):
        return None
    how = _how(plan)
    images, batches = device.templates.find(how, programs.each)
    missing = _missing(programs, plan, images)
    if len(missing) and _fits(device, programs, plan, missing):
        made, images[missing] = _make(device, programs, missing, plan, how, run)
        device.templates.keep(made)
        batches.append(made)
    if not images.any():
        return None
    flag = device.built.flag
    flags = flag["FORK"] | (flag["COMPILED"] if plan.phase.execute else 0)
    if plan.phase.arenas is not None:
        plan.phase.arenas.owned += [batch.code for batch in batches]
    return Copies(images, flags, batches)


def clone(device: Device, arenas: Arenas, index: int, run: Run, block: int = 0) -> None:
    """Replace all idle interpreters in `arenas` by copies of interpreter `index`.

    Each keeps its own threadIdx, blockIdx and localIdx, and gets its own random numbers.

    Args:
        device: The device of the arenas.
        arenas: The interpreters.
        index: The interpreter to copy.
        run: Runs the launch that copies.
        block: Interpreters per block, as in their launches.

    Raises:
        UsageError: The interpreters cannot be copied.
        LaunchFailed: Interpreter `index` has ended.
    """
    alone = device.single(arenas, index)
    launch = Launch(heap=arenas.sizes["heap"], pystack=arenas.sizes["pystack"], block=block)
    images = np.array([alone.fields["image"]], np.uint64)
    copies = Copies(images, device.built.flag["FORK"], alone)
    phase = Phase(arenas=arenas, copies=copies, stop=False, execute=False)
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
        # Failing allocations are counted from the start; a mounted file system belongs to one
        # interpreter.
        and launch.fail_allocation is None
        and launch.fs is None
    )


def _missing(programs: Programs, plan: Plan, images: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the indices of programs without a template for which one is profitable."""
    counts = programs.counts
    if plan.launch.fork:
        pays = counts > 0
    else:
        pays = counts >= (PAYS_EACH if programs.several else 1)
        if int(counts[pays].sum()) < PAYS_FROM:
            return np.zeros(0, np.intp)
    return np.flatnonzero(pays & (images == 0))


def _fits(device: Device, programs: Programs, plan: Plan, missing: np.ndarray[Any, Any]) -> bool:
    """Return whether the templates fit beside the launch, which can run without them."""
    need = plan.footprint
    each = 2 * device.figures.resting(need.pystack, need.heap) + attrs.evolve(need, stdout=0).each
    wanted = len(missing) * each + int(_code_rooms(programs, missing).sum())
    left = plan.room.left - plan.n * need.each - programs.size
    if wanted <= left or len(missing) == 1:
        return True
    if plan.launch.fork:
        raise NotEnoughMemory(
            f"templates of {len(missing)} programs take {format_size(wanted)}, and "
            f"{format_size(max(0, left))} are free beside the interpreters",
            hint="Without fork=True the interpreters boot by themselves.",
        )
    return False


def _how(plan: Plan) -> Hashable:
    """Return the properties besides its program on which a template depends."""
    launch, need = plan.launch, plan.footprint
    return (
        launch.kind,
        plan.phase.execute,
        launch.gc_stress,
        launch.outbuf is not None,
        *(need.heap, need.pystack, need.stack),
    )


def _code_rooms(programs: Programs, which: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the bytes to allocate for the bytecode of each program of `which`."""
    grains = -(-(CODE_ROOM + 2 * programs.lengths[which]) // CODE_GRAIN)
    return np.asarray(grains * CODE_GRAIN)


def _make(
    device: Device,
    programs: Programs,
    missing: np.ndarray[Any, Any],
    plan: Plan,
    how: Hashable,
    run: Run,
) -> tuple[TemplateBatch, np.ndarray[Any, Any]]:
    """Make templates of the programs `missing`.

    Returns:
        The batch, and each program's snapshot address (0 where it does not compile).
    """
    need, n = plan.footprint, len(missing)
    chosen = [programs.each[i] for i in missing.tolist()]
    offsets = np.concatenate(([0], np.cumsum(_code_rooms(programs, missing)))).astype(np.uint64)
    arenas = device.arenas(n, need.pystack, need.heap)
    code = CodeRoom(device.zeros(int(offsets[-1]), np.uint8), offsets)
    phase = Phase(arenas=arenas, stop=False, execute=plan.phase.execute, code=code)
    launch = _alone(plan, _deadlines(programs, plan.launch)[missing])
    result = run(device, chosen, n, launch, phase, program_of=np.arange(n, dtype=np.uint32))
    owner = arenas.keep.copies(range(n))
    row = owner.shape[1] * WORD
    places = address_of(device, owner) + row * np.arange(n, dtype=np.uint64)
    compiled = result.status == device.built.status["OK"]
    kept = np.flatnonzero(compiled)
    images = dict(zip((chosen[k] for k in kept.tolist()), places[kept].tolist(), strict=True))
    size = n * row + int(offsets[-1])
    return TemplateBatch(how, images, owner, code.memory, size), np.where(
        compiled, places, np.uint64(0)
    )


def _deadlines(programs: Programs, launch: Launch) -> np.ndarray[Any, Any]:
    """Return each program's time limit for compiling: the minimum of its interpreters' deadlines.

    In nanoseconds; 0: no limit.
    """
    limit = time_limit(launch.deadline)
    if not isinstance(limit, Each) or programs.which is None:
        return np.full(len(programs.each), least(limit), np.uint64)
    never = np.uint64(2**64 - 1)
    all_least = np.full(len(programs.each), never)
    limits = limit.of(programs.n, "deadline")
    limits = np.where(limits == 0, never, limits)
    np.minimum.at(all_least, programs.which[programs.running], limits[programs.running])
    return np.where(all_least == never, np.uint64(0), all_least)


def _alone(plan: Plan, deadlines: np.ndarray[Any, Any]) -> Launch:
    launch, need = plan.launch, plan.footprint
    return Launch(
        kind=launch.kind,
        heap=need.heap,
        pystack=need.pystack,
        stack=need.stack,
        stdout=0,
        gc_stress=launch.gc_stress,
        outbuf=launch.outbuf,
        cancel=launch.cancel,
        timeout=launch.timeout,
        fork=False,
        order=True,  # templates never wait for each other
        # Compiling takes the program's deadline, of which the minimum over its interpreters counts.
        deadline=Each(deadlines) if deadlines.any() else None,
    )
