"""Templates: boot and compile in one interpreter per program, and start the others as its copies.

Local arenas lie at the same address in every thread. A snapshot, with all its pointers, is
therefore valid in any other interpreter (docs/reference/architecture.md, "The arena"). Bytecode
goes to memory that all copies read: a warp then fetches an instruction once, where 32 private
copies would take 32 times the cache. One launch before the actual one makes the templates of all
its programs.
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from typing import Any

import numpy as np
from attrs import evolve

from porter.base.sizes import format_size
from porter.errors import NotEnoughMemory
from porter.run.device.base import Device
from porter.run.device.snapshots import SnapshotStore, address_of
from porter.run.device.template_cache import TemplateBatch
from porter.run.footprint import WORD
from porter.run.launch.limits import Each, least, time_limit
from porter.run.launch.options import CodeBuffer, Copies, Launch, Phase
from porter.run.launch.plan import LaunchPlan, LaunchRequest, plan_launch
from porter.run.launch.prepared import prepare
from porter.run.launch.programs import Programs
from porter.run.launch.record import text_array
from porter.run.launch.running import start_prepared
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
CODE_OVERHEAD = 4096
CODE_GRAIN = 64


def with_templates(plan: LaunchPlan) -> LaunchPlan:
    """Return `plan` with the snapshots that interpreters start as copies of.

    Missing templates are made, by a launch of their own. `plan` is returned unchanged where all
    interpreters boot by themselves, or the caller has chosen what they are copies of.

    Raises:
        NotEnoughMemory: The caller asked for copies, and their templates do not fit.
    """
    if plan.phase.copies is not None or not _applies(plan):
        return plan
    copies = _copies(plan)
    return plan if copies is None else evolve(plan, phase=evolve(plan.phase, copies=copies))


def _copies(plan: LaunchPlan) -> Copies | None:
    """Find or make the templates for the interpreters of `plan`; None without any.

    Interpreters of a program that does not compile boot by themselves, and report the error.
    """
    device, programs = plan.device, plan.programs
    how = _how(plan)
    addresses, batches = device.templates.find(how, programs.keys)
    missing = _missing(plan, addresses)
    if len(missing) and _fits(plan, missing):
        made, addresses[missing] = _make(plan, missing, how)
        device.templates.keep(made)
        batches.append(made)
    if not addresses.any():
        return None
    flag = device.built.flag
    flags = flag["FORK"] | (flag["COMPILED"] if plan.phase.execute else 0)
    if plan.phase.arenas is not None:
        plan.phase.arenas.owned += [memory for batch in batches for memory in batch.code]
    return Copies(addresses, flags, batches)


def _applies(plan: LaunchPlan) -> bool:
    device, launch, phase = plan.device, plan.launch, plan.phase
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


def _missing(plan: LaunchPlan, addresses: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the indices of programs without a template for which one is profitable."""
    programs = plan.programs
    counts = programs.counts
    if plan.launch.fork:
        pays = counts > 0
    else:
        pays = counts >= (PAYS_EACH if programs.several else 1)
        if int(counts[pays].sum()) < PAYS_FROM:
            return np.zeros(0, np.intp)
    return np.flatnonzero(pays & (addresses == 0))


def _fits(plan: LaunchPlan, missing: np.ndarray[Any, Any]) -> bool:
    """Return whether the templates fit beside the launch, which can run without them."""
    need = plan.footprint
    each = 2 * plan.device.figures.resting(need.pystack, need.heap) + evolve(need, stdout=0).each
    wanted = len(missing) * each + int(_code_sizes(plan.programs, missing).sum())
    if wanted <= plan.spare or len(missing) == 1:
        return True
    if plan.launch.fork:
        raise NotEnoughMemory(
            f"templates of {len(missing)} programs take {format_size(wanted)}, and "
            f"{format_size(max(0, plan.spare))} are free beside the interpreters",
            hint="Without fork=True the interpreters boot by themselves.",
        )
    return False


def _how(plan: LaunchPlan) -> Hashable:
    """Return the properties besides its program on which a template depends."""
    launch, need = plan.launch, plan.footprint
    return (
        plan.programs.kind,
        launch.kind,
        plan.phase.execute,
        launch.gc_stress,
        launch.outbuf is not None,
        *(need.heap, need.pystack, need.stack),
    )


def _code_sizes(programs: Programs, which: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the bytes to allocate for the bytecode of each program of `which`; 0: it is shared."""
    sizes = CODE_OVERHEAD + 2 * programs.lengths[which]
    return np.where(programs.shared[which], 0, -(-sizes // CODE_GRAIN) * CODE_GRAIN)


def _make(
    plan: LaunchPlan, missing: np.ndarray[Any, Any], how: Hashable
) -> tuple[TemplateBatch, np.ndarray[Any, Any]]:
    """Make templates of the programs `missing`, by a launch of one interpreter per program.

    Returns:
        The batch, and each program's snapshot address (0 where it does not compile).
    """
    device, programs = plan.device, plan.programs
    need, n = plan.footprint, len(missing)
    which = missing.tolist()
    chosen = programs.chosen(which)
    ends = np.cumsum(_code_sizes(programs, missing))
    offsets = np.concatenate(([0], ends)).astype(np.uint64)
    arenas = device.arenas(n, need.pystack, need.heap)
    code = CodeBuffer(device.zeros(max(1, int(offsets[-1])), np.uint8), offsets)
    # Templates execute shared code in place.
    text = text_array(device, Programs(n, chosen, None, programs.rests))
    phase = Phase(
        arenas=arenas, stop=False, execute=plan.phase.execute, code=code, text=text, urgent=True
    )
    launch = _alone(plan, _deadlines(programs, plan.launch)[missing])
    request = LaunchRequest(chosen, n, launch, phase, np.arange(n, dtype=np.uint32))
    result = _run(device, request)
    store = arenas.store
    assert isinstance(store, SnapshotStore)  # the device has local arenas, see _applies
    owner = store.copies(range(n))
    row = owner.shape[1] * WORD
    places = address_of(device, owner) + row * np.arange(n, dtype=np.uint64)
    compiled = result.status == device.built.status["OK"]
    kept = np.flatnonzero(compiled)
    keys = [programs.keys[which[k]] for k in kept.tolist()]
    addresses = dict(zip(keys, places[kept].tolist(), strict=True))
    size = n * row + int(offsets[-1]) + int(text.size)
    return TemplateBatch(how, addresses, owner, (code.memory, text), size), np.where(
        compiled, places, np.uint64(0)
    )


def _run(device: Device, request: LaunchRequest) -> Result:
    """Run the launch that makes templates; it starts no interpreter as a copy."""
    prepared = prepare(plan_launch(device, request), time.monotonic())
    result = start_prepared(prepared).wait()
    if result.refused is not None:
        raise result.refused
    return result


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


def _alone(plan: LaunchPlan, deadlines: np.ndarray[Any, Any]) -> Launch:
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
