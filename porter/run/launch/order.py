"""Which interpreter each thread of a launch runs.

Threads of a warp execute one instruction together only where they run one program, so a launch of
several programs runs in their order, whatever order the caller gave. Two cases keep the caller's:
interpreters of a block stay together for their barrier; and one that waits for what a neighbour
writes must not keep the neighbour from starting, as thousands of others between them can.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import field, frozen

from porter.run.device.base import Device
from porter.run.launch.programs import Programs
from porter.run.launch.spec import Launch, Phase

BARRIER = b"syncthreads"
# Threads that a large GPU has resident: idle ones cost nothing as long as there are fewer.
RESIDENT = 1 << 18


@frozen(eq=False)
class Order:
    """The order of a launch's interpreters.

    threads: uint32, of each thread the interpreter that it runs, or `idle` (launch.h); None:
    thread i runs interpreter i. kept: why a launch of several programs has the caller's order.
    """

    threads: np.ndarray[Any, Any] | None = field(default=None, repr=False)
    kept: str = ""

    def __str__(self) -> str:
        if self.threads is not None:
            return "programs"
        return f"caller: {self.kept}" if self.kept else "caller"


def order_of(device: Device, programs: Programs, launch: Launch, phase: Phase) -> Order:
    """The order in which `programs` run.

    Notes in the phase's arenas what keeps later launches of these interpreters together.
    """
    if (kept := order_kept(programs, launch, phase)) is not None:
        return kept
    # Blocks of other sizes have warps of other sizes, and then there is nothing to be filled.
    block = launch.block or device.block
    warp = device.warp if block % device.warp == 0 else 1
    idle = device.built.constants["GPUSNEK_IDLE"]
    return Order(threads_of(programs, warp, idle))


def order_kept(programs: Programs, launch: Launch, phase: Phase) -> Order | None:
    """The caller's order, where that is kept; None where interpreters run in their programs'.

    Notes in the phase's arenas what keeps later launches of these interpreters together, or one
    kernel.
    """
    why = together(programs, launch, phase)
    if phase.arenas is not None:
        phase.arenas.together = why or phase.arenas.together
        phase.arenas.at_once |= bool(shared(launch, phase))
    if not programs.several or launch.order is False:
        return Order()
    return Order(kept=why) if why and not launch.order else None


def threads_of(programs: Programs, warp: int, idle: int) -> np.ndarray[Any, Any]:
    """The interpreters in the order of their programs, the caller's within one program.

    A program's interpreters begin a warp where they fill half of it; else at a multiple of the
    largest part of a warp with which all threads can be resident. `idle` fills the gaps.
    """
    running = programs.running
    assert programs.which is not None  # several programs
    which = programs.which[running]
    counts = programs.counts
    if (which[1:] >= which[:-1]).all():  # which takes less than sorting what is sorted
        order = np.arange(len(which))
    else:  # of 16 bits numpy makes a radix sort
        keys = which.astype(np.uint16) if len(counts) <= 1 << 16 else which
        order = np.argsort(keys, kind="stable")
    large = counts * 2 >= warp
    grain = warp
    while True:
        taken = _up(counts, np.where(large, warp, grain))
        if grain == 1 or int(taken.sum()) <= RESIDENT:
            break
        grain //= 2
    # Whole warps first, so that parts of one begin at multiples of their size.
    rank = np.argsort(~large, kind="stable")
    starts = np.empty_like(taken)
    starts[rank] = np.cumsum(taken[rank]) - taken[rank]
    shift = starts - (np.cumsum(counts) - counts)
    at = shift[which[order]] + np.arange(len(order))
    threads = np.full(int(taken.sum()), idle, np.uint32)
    threads[at] = running[order]
    return threads


def _up(sizes: np.ndarray[Any, Any], grain: Any) -> np.ndarray[Any, Any]:
    rounded: np.ndarray[Any, Any] = -(-sizes // grain) * grain
    return rounded


def together(programs: Programs, launch: Launch, phase: Phase) -> str:
    """Why interpreters may wait for each other; "" where they do not."""
    if BARRIER in programs.text:  # or at a seam: one search, where a launch may have a million
        for source, program, count in zip(
            programs.sources, programs.each, programs.counts, strict=True
        ):
            if BARRIER in source and count:
                return f"{program.name} names syncthreads"
    if launch.fs is not None:
        return "programs can import from a file system"
    if why := shared(launch, phase):
        return why
    return "" if phase.arenas is None else phase.arenas.together


def shared(launch: Launch, phase: Phase) -> str:
    """What interpreters of any block may wait for, as others write it; "" where nothing is."""
    if launch.outbuf is not None:
        return "programs share outbuf"
    for name in launch.bind:
        return f"programs share {name}, and can write to it"
    for binding in phase.bindings:
        if binding.kind == "MEMORY" and binding.stride == 0:
            return f"programs share {binding.name}, and can write to it"
    return ""
