"""Chunked launches: run one launch as several kernels, so that the snapshots of each kernel fit.

A running kernel cannot wait for memory. Before it starts, storage rows (store.py) must exist for
the maximum snapshots of all its interpreters. Most snapshots need a small part of that. A launch
whose maximum does not fit therefore runs in chunks: after each kernel, the rows in use are known.
"""

from __future__ import annotations

import math
import time
from typing import Protocol

from attrs import define, field, frozen

from porter.base.sizes import format_size
from porter.errors import NotEnoughMemory
from porter.run.device.base import RunningKernels
from porter.run.device.snapshots import SnapshotStore
from porter.run.footprint import BUNDLE, H200, LEAST_CHUNK, ROW, bundles

# Preferred threads per chunk. At twice the resident threads of a GPU, few multiprocessors idle
# while the last interpreters of a chunk finish.
CHUNK = 2 * H200.resident


@frozen
class SnapshotChunks:
    """The division of a launch into kernels, so that the snapshots of each kernel fit.

    Attributes:
        store: The snapshots that the launch writes.
        size: Maximum threads per kernel.
        grain: Sizes are multiples of this many threads: whole blocks and whole bundles.
    """

    store: SnapshotStore = field(repr=False)
    size: int
    grain: int


def chunks_for(
    store: SnapshotStore,
    threads: int,
    block: int,
    spare: int | None,
    *,
    is_first: bool,
    whole: bool,
) -> SnapshotChunks:
    """Allocate snapshot storage for a launch, and choose the size of its chunks.

    Args:
        store: The snapshots of the launch's interpreters.
        threads: Threads of the launch.
        block: Threads per block.
        spare: Bytes that snapshots may take; None: the launch writes none.
        is_first: The launch starts new interpreters.
        whole: The launch has to be one kernel.

    Raises:
        NotEnoughMemory: The memory does not suffice. The interpreters are unchanged.
    """
    store.prepare(is_first)
    grain = math.lcm(block, BUNDLE)
    if spare is None or store.rows >= store.most:
        return SnapshotChunks(store, threads, grain)
    taken, spare = store.taken, max(0, spare)

    def possible(budget: int) -> int:
        rows = store.rows + budget // ROW
        if rows >= store.most:
            return threads
        return min(threads, (rows - taken) // store.stride * BUNDLE // grain * grain)

    wanted = threads if whole else min(threads, CHUNK)
    least = threads if whole else min(threads, max(grain, LEAST_CHUNK // grain * grain))
    # In order of preference: no new memory; half of the free memory, so that as much stays free for
    # other users; 15/16 of it.
    size = next(
        (size for budget in (0, spare // 2) if (size := possible(budget)) >= wanted),
        possible(spare - spare // 16),
    )
    if size < least:
        need = min(store.most, taken + bundles(least) * store.stride) - store.rows
        raise NotEnoughMemory(
            f"{threads} interpreters need {format_size(need * ROW)} for their snapshots"
            f"{', as one launch' if whole else ''}, and {format_size(spare)} are free",
            hint="Make heap smaller, or take fewer interpreters.",
        )
    return SnapshotChunks(store, _grown(store, taken, size, least, grain), grain)


def _grown(store: SnapshotStore, taken: int, size: int, least: int, grain: int) -> int:
    """Allocate storage for `size` threads, or fewer, down to `least`. Returns the thread count."""
    while True:
        try:
            store.grow(taken + bundles(size) * store.stride)
            return size
        except MemoryError as error:
            smaller = size // 2 // grain * grain
            if smaller < least:
                need = (taken + bundles(size) * store.stride - store.rows) * ROW
                raise NotEnoughMemory(
                    f"no {format_size(need)} more for the snapshots of {size} interpreters",
                    hint="They are as they were; free GPU memory and try again.",
                ) from error
            size = smaller


class StartKernel(Protocol):
    """A function that starts threads of a launch from number `first` on."""

    def __call__(self, first: int, count: int) -> RunningKernels:
        """Return the kernel in progress."""
        ...


@define(eq=False)
class ChunkedKernels:
    """A launch in progress of `threads` threads in chunks. `wait` starts the next chunk.

    Attributes:
        refused: Why the interpreters of some threads did not run; they are unchanged. None where
            all ran.
        kernels: Number of kernels started so far.
    """

    _chunks: SnapshotChunks
    _threads: int
    _start: StartKernel
    refused: NotEnoughMemory | None = field(default=None, init=False)
    _begun: int = field(default=0, init=False)  # threads of the kernels started so far
    _seconds: float = field(default=0.0, init=False)
    _kernel: RunningKernels | None = field(default=None, init=False)
    kernels: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        self._begin(self._chunks.size)

    def wait(self, seconds: float | None) -> bool:
        """Wait at most `seconds`; return whether all chunks have ended.

        Raises:
            LaunchFailed: The device failed.
        """
        end = None if seconds is None else time.monotonic() + seconds
        while self._kernel is not None:
            left = None if end is None else max(0.0, end - time.monotonic())
            if not self._kernel.wait(left):
                return False
            self._seconds += self._kernel.seconds
            self._kernel = None
            if self._begun < self._threads:
                self._next()
        return True

    @property
    def seconds(self) -> float:
        """Seconds that all kernels took, without the gaps between them."""
        return self._seconds

    def _next(self) -> None:
        chunks = self._chunks
        store = chunks.store
        size = min(chunks.size, self._threads - self._begun)
        least = min(size, max(chunks.grain, LEAST_CHUNK // chunks.grain * chunks.grain))
        try:
            size = _grown(store, store.taken, size, least, chunks.grain)
        except NotEnoughMemory as error:
            error.message = (
                f"{self._threads - self._begun} of {self._threads} interpreters did not run: "
                f"{error.message}"
            )
            error.args = (error.message, *error.args[1:])
            self.refused = error
            return
        self._begin(size)

    def _begin(self, size: int) -> None:
        first = self._begun
        count = min(size, self._threads - first)
        self._kernel = self._start(first, count)
        self._begun += count
        self.kernels += 1
