"""Scheduling order: assign an interpreter to each thread of a launch.

Threads of a warp execute one instruction together only while they run the same program. A launch of
several programs is therefore sorted by program. Two cases keep the caller's order:

- Interpreters that use a barrier must stay in their block.
- An interpreter that waits for a neighbour's write must not keep the neighbour from starting.
  Sorting can put thousands of other interpreters between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import field, frozen

from porter.run.device.base import Device
from porter.run.launch.options import Launch, Phase
from porter.run.launch.programs import Programs

BARRIER = b"syncthreads"
# Resident threads of a large GPU; below this number, idle threads cost nothing.
RESIDENT = 1 << 18
BLOCKS_PER_THREAD = 4  # of the host twin, in a launch of independent interpreters
MOST_TOGETHER = 128  # interpreters of such a block


@frozen(eq=False)
class Order:
    """The order of a launch's interpreters.

    Attributes:
        threads: For each thread its interpreter, or `idle` (launch.h) (uint32); None: thread i runs
            interpreter i.
        kept: Why a launch of several programs keeps the caller's order; empty where it does not.
    """

    threads: np.ndarray[Any, Any] | None = field(default=None, repr=False)
    kept: str = ""

    def __str__(self) -> str:
        if self.threads is not None:
            return "programs"
        return f"caller: {self.kept}" if self.kept else "caller"


def independent_block(device: Device, n: int) -> int:
    """Return the size of a block for `n` interpreters that do not wait for each other.

    A thread of the host twin runs one block after another. Large blocks cost less, and with several
    blocks per thread all threads have work until the end.

    Args:
        device: The device.
        n: Number of interpreters.

    Returns:
        Interpreters per block; 0, the device's default, on a GPU.
    """
    if device.on_gpu:
        return 0
    return max(1, min(MOST_TOGETHER, n // (BLOCKS_PER_THREAD * max(1, device.cores))))


def order_of(device: Device, programs: Programs, launch: Launch, phase: Phase) -> Order:
    """Return the order in which the interpreters of a launch run.

    The members of a composite device sort the interpreters of their parts.

    Side effect: the phase's arenas record constraints on the order of later launches.
    """
    if device.members:
        return order_of_parts(programs, launch, phase)
    if (kept := order_kept(programs, launch, phase)) is not None:
        return kept
    # With blocks of other sizes there are no whole warps to fill.
    block = launch.block or device.block
    warp = device.warp if block % device.warp == 0 else 1
    if is_ordered(programs, warp):
        return Order()
    idle = device.built.constants["GPUSNEK_IDLE"]
    return Order(threads_of(programs, warp, idle))


def order_of_parts(programs: Programs, launch: Launch, phase: Phase) -> Order:
    """Return the order of a launch that is divided: if one part must keep its order, all keep it.

    Side effect: as `order_of`.
    """
    kept = order_kept(programs, launch, phase)
    return Order(programs.running) if kept is None else kept


def order_kept(programs: Programs, launch: Launch, phase: Phase) -> Order | None:
    """Return the caller's order where it has to be kept; None where interpreters are sorted.

    Side effect: the phase's arenas record whether later launches of these interpreters must keep
    the caller's order, or be one kernel.
    """
    why = ""
    if phase.arenas is not None or not launch.order:  # else nobody asks
        why = together(programs, launch, phase)
    if phase.arenas is not None:
        phase.arenas.together = why or phase.arenas.together
        phase.arenas.at_once |= bool(shared(launch, phase))
    if not programs.several or launch.order is False:
        return Order()
    return Order(kept=why) if why and not launch.order else None


def is_ordered(programs: Programs, warp: int) -> bool:
    """Return whether interpreters are sorted by program and fill whole warps."""
    which = programs.which
    return (
        which is not None
        and len(programs.running) == programs.n
        and not (programs.counts % warp).any()
        and bool((which[1:] >= which[:-1]).all())
    )


def threads_of(programs: Programs, warp: int, idle: int) -> np.ndarray[Any, Any]:
    """Sort interpreters by program, stably.

    Interpreters of a program start at a warp boundary where they fill at least half a warp.
    Otherwise they start at a multiple of the largest power-of-two part of a warp with which all
    threads can be resident.

    Args:
        programs: Several programs.
        warp: Threads per warp.
        idle: Fills gaps.

    Returns:
        The interpreter of each thread (uint32).
    """
    running = programs.running
    assert programs.which is not None  # several programs
    which = programs.which[running]
    counts = programs.counts
    if (which[1:] >= which[:-1]).all():  # skips sorting what is sorted already
        order = np.arange(len(which))
    else:  # numpy uses a radix sort for 16-bit keys
        keys = which.astype(np.uint16) if len(counts) <= 1 << 16 else which
        order = np.argsort(keys, kind="stable")
    large = counts * 2 >= warp
    grain = warp
    while True:
        taken = _up(counts, np.where(large, warp, grain))
        if grain == 1 or int(taken.sum()) <= RESIDENT:
            break
        grain //= 2
    # Whole warps come first, so that parts of a warp start at multiples of their size.
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
    """Return why interpreters may wait for each other; "" where they do not."""
    # A search over the joined text comes first, as there may be a million programs. It can match
    # across two programs, so the loop checks each.
    if programs.names_word(BARRIER):
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
    """Return which memory lets interpreters of any blocks wait for each other; "" for none."""
    if launch.outbuf is not None:
        return "programs share outbuf"
    for name in launch.bind:
        return f"programs share {name}, and can write to it"
    for binding in phase.bindings:
        if binding.kind == "MEMORY" and binding.stride == 0:
            return f"programs share {binding.name}, and can write to it"
    return ""
