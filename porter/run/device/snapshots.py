"""Snapshot storage: idle interpreters with local arenas, stored as differences from a base.

A snapshot consists of pages of 128 bytes. Pages that differ from the snapshot's *base* are
stored in *rows*. A row has one page of each of 32 neighbouring snapshots, a *bundle*
(templates/runtime/launch.h, snapshots.cuh). Rows are allocated in *segments* of equal size, so
storage grows without copying. Kernels take free rows when they write snapshots; this module
allocates, compacts and frees them between launches.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from attrs import define, field

from porter.errors import NotEnoughMemory
from porter.run.device.base import Arenas, Array, Device, RunningKernels, SnapshotCopy
from porter.run.footprint import BUNDLE, PAGE, ROW, WORD, bundles

PAGE_WORDS, ROW_WORDS = PAGE // WORD, ROW // WORD
LEAST_ROWS, MOST_ROWS = 16, 1 << 16  # rows of a segment; the maximum is 256 MiB
PARTS = 8  # storage is divided into at least this many segments, unless they would be too small


class RunKernel(Protocol):
    """A function that runs a kernel of templates/runtime/arrays.cu."""

    def __call__(self, name: str, threads: int, *arguments: int) -> None:
        """Start the kernel on at least `threads` threads.

        Later operations on its arrays are ordered after it.
        """
        ...


@define(eq=False)
class SnapshotStore:
    """The snapshots of `n` interpreters, of at most `stride` pages each.

    Attributes:
        device: The device that has the snapshots.
        n: Number of snapshots.
        stride: Maximum pages per snapshot.
        kernels: Runs kernels over the storage.
        kept: Owners of the base snapshots.
        shift: A segment has 2**shift rows.
    """

    device: Device = field(repr=False)
    n: int
    stride: int
    kernels: RunKernel = field(repr=False)
    kept: list[object] = field(factory=list, repr=False)
    shift: int = field(init=False)  # a segment has 2**shift rows
    _page_tables: Array = field(init=False, repr=False)
    _used: Array = field(init=False, repr=False)
    _bases: Array = field(init=False, repr=False)
    _taken: Array = field(init=False, repr=False)
    _segments: list[Array] = field(factory=list, init=False, repr=False)
    _addresses: Array | None = field(default=None, init=False, repr=False)
    _running: weakref.ref[RunningKernels] | None = field(default=None, init=False, repr=False)
    _clean: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        rows = min(max(LEAST_ROWS, self.most // PARTS), MOST_ROWS)
        self.shift = rows.bit_length() - 1
        self.clear()

    @classmethod
    def allocate(cls, device: Device, n: int, heap: int, kernels: RunKernel) -> SnapshotStore:
        """Allocate the page tables of `n` empty snapshots.

        Args:
            device: The device that will have them.
            n: Number of interpreters.
            heap: Bytes of each interpreter's heap.
            kernels: Runs kernels over the storage.

        Raises:
            NotEnoughMemory: The page tables do not fit.
        """
        try:
            return cls(device, n, device.figures.pages(heap), kernels)
        except MemoryError as error:
            raise NotEnoughMemory(f"no memory for the page tables of {n} snapshots") from error

    @property
    def most(self) -> int:
        """Rows needed if every snapshot has its maximum number of pages."""
        return bundles(self.n) * self.stride

    @property
    def rows(self) -> int:
        """Rows that are allocated."""
        return min(self.most, len(self._segments) << self.shift)

    @property
    def taken(self) -> int:
        """Rows in use after the last launch. Each read copies from the device."""
        return int(self.device.host(self._taken)[0])

    @property
    def used(self) -> np.ndarray[Any, Any]:
        """Pages of each snapshot, 0 without one (n uint32)."""
        return self.device.host(self._used)

    @property
    def size(self) -> int:
        """Bytes of the snapshots: rows in use, and page tables."""
        tables = (self._page_tables, self._used, self._bases)
        return self.taken * ROW + sum(int(table.nbytes) for table in tables)

    @property
    def idle(self) -> bool:
        """Whether no launch in progress uses the snapshots."""
        running = None if self._running is None else self._running()
        return running is None or running.wait(0)

    def used_by(self, running: RunningKernels) -> None:
        """Register a launch that uses the snapshots until it has ended."""
        self._running = weakref.ref(running)  # weak, because the launch refers to the snapshots

    @property
    def fields(self) -> dict[str, int]:
        """The snapshots' fields of a launch record."""
        address = self.device.address
        return {
            "snapshot_pages": address(self._page_tables),
            "snapshot_stride": self.stride,
            "snapshot_used": address(self._used),
            "snapshot_bases": address(self._bases),
            "snapshot_segments": 0 if self._addresses is None else address(self._addresses),
            "snapshot_shift": self.shift,
            "snapshot_taken": address(self._taken),
        }

    def prepare(self, is_first: bool) -> None:
        """Prepare for a launch that writes snapshots.

        Args:
            is_first: The launch starts new interpreters, so existing snapshots are dropped.
        """
        if is_first and not self._clean:
            self.clear()
        self._clean = False

    def clear(self) -> None:
        """Drop all snapshots."""
        self._page_tables = self._used = self._bases = None
        # A page table entry is one word (gpusnek_page_t).
        self._page_tables = self.device.zeros(bundles(self.n) * self.stride, np.uint64)
        self._used = self.device.zeros(self.n, np.uint32)
        self._bases = self.device.zeros(self.n, np.uint64)
        self._taken = self.device.zeros(1, np.uint32)
        self.kept.clear()
        self._clean = True

    def grow(self, rows: int) -> None:
        """Allocate up to `rows` rows in all; existing rows stay valid. Raises MemoryError."""
        rows = min(rows, self.most)
        if rows <= self.rows:
            return
        try:
            while self.rows < rows:
                left = self.most - self.rows  # the last segment may be smaller
                size = min(left, 1 << self.shift) * ROW_WORDS
                self._segments.append(self.device.xp.empty(size, np.uint64))
        finally:
            self._tell()

    def shrink(self) -> int:
        """Free segments without a row in use. Returns their bytes."""
        keep = -(-self.taken >> self.shift)
        given = sum(int(segment.nbytes) for segment in self._segments[keep:])
        if given:
            del self._segments[keep:]
            self._tell()
        return given

    def copies(self, which: Sequence[int] | np.ndarray[Any, Any]) -> Array:
        """Copy snapshots into the format of base snapshots.

        Args:
            which: Indices of the snapshots.

        Returns:
            One row of words per snapshot; `address_of` returns its address.
        """
        chosen = np.asarray(which, np.uint32)
        columns = (1 + int(self.used[chosen].max())) * PAGE_WORDS
        to = self.device.zeros((len(chosen), columns), np.uint64)
        numbers = self.device.array(chosen)
        address = self.device.address
        self.kernels(
            "gpusnek_snapshots_copy",
            to.size,
            *(address(to), to.size, columns, address(numbers)),
            *(address(self._page_tables), self.stride, *self._where()),
            *(address(self._bases), address(self._used)),
        )
        return to

    def rebase(self) -> None:
        """Move pages that all snapshots have in common into a new base snapshot.

        Only snapshots with the same base as the first one take part. A page that some of them take
        from that base unchanged keeps the base's content.
        """
        there = self.used != 0
        if not there.any():
            return
        index, host, address = int(there.argmax()), self.device.host, self.device.address
        entries, where = len(self._page_tables), (address(self._bases), address(self._used))
        old = int(host(self._bases[index : index + 1])[0])
        tells = self.device.zeros(self.stride + 1, np.uint32)
        self.kernels(
            "gpusnek_snapshots_common",
            entries * BUNDLE,
            *(
                address(self._page_tables),
                entries,
                self.stride,
                *where,
                self.n,
                old,
                address(tells),
            ),
        )
        *is_kept, others = (host(tells) != 0).tolist()
        first = index // BUNDLE * self.stride
        own = host(self._page_tables[first : first + self.stride]) >> np.uint64(32 + index % BUNDLE)
        if not ((own & np.uint64(1) != 0) & ~np.array(is_kept)).any():
            return  # the first snapshot has no own page that all could share
        copy = self.copies([index])
        base, words = address_of(self.device, copy), copy.size - PAGE_WORDS
        self.kernels("gpusnek_snapshots_merge", words, base, words, old, address(tells))
        self.kernels(
            "gpusnek_snapshots_compare",
            entries * BUNDLE,
            *(address(self._page_tables), entries, self.stride, *self._where()),
            *(*where, self.n, old, base),
        )
        self.kernels("gpusnek_snapshots_based", self.n, *where, self.n, old, base)
        self.kept[:] = [*(self.kept if others else ()), copy]

    def single(self, index: int) -> SnapshotCopy:
        """Copy snapshot `index`."""
        words = self.copies([index])
        return SnapshotCopy(words, address_of(self.device, words))

    def trim(self) -> int:
        """Release the memory that no snapshot needs, unless a launch uses the snapshots.

        Returns:
            The bytes released.
        """
        if not self.idle:
            return 0
        released = self.shrink()  # first, because rebasing allocates memory
        self.rebase()
        self.pack()
        return released + self.shrink()

    def add_base(self, owner: object) -> None:
        """Keep `owner` alive, the owner of base snapshots."""
        self.kept.append(owner)

    def set_base(self, owner: object) -> None:
        """Keep only `owner` alive, the owner of all base snapshots."""
        self.kept[:] = [owner]

    def pack(self) -> None:
        """Compact the storage: free rows without any page in use, and move later rows up."""
        taken = self.taken
        if not taken:
            return
        owners = self.device.zeros(taken, np.uint64)
        address, entries = self.device.address, len(self._page_tables)
        self.kernels(
            "gpusnek_snapshots_owners",
            entries,
            address(self._page_tables),
            entries,
            address(owners),
        )
        is_owned = self.device.host(owners) != 0
        live = int(is_owned.sum())
        if live == taken:
            return
        to = np.flatnonzero(~is_owned[:live]).astype(np.uint32)
        source = (np.flatnonzero(is_owned[live:]) + live).astype(np.uint32)
        if len(to):
            words = len(to) * ROW_WORDS
            numbers = [self.device.array(each) for each in (source, to)]
            self.kernels(
                "gpusnek_snapshots_move",
                words,
                *(address(self._page_tables), *self._where(), *map(address, numbers)),
                *(address(owners), words),
            )
        self._taken = self.device.array(np.array([live], np.uint32))

    def _where(self) -> tuple[int, int]:
        return self.fields["snapshot_segments"], self.shift

    def _tell(self) -> None:
        places = [self.device.address(segment) for segment in self._segments]
        self._addresses = self.device.array(np.array(places, np.uint64)) if places else None


def address_of(device: Device, copies: Array, row: int = 0) -> int:
    """Return the address of a snapshot in a row of Images.copies, after the page with its size."""
    columns = int(copies.shape[-1])
    return device.address(copies) + (row * columns + PAGE_WORDS) * WORD


def size_of(arenas: Arenas) -> int | None:
    """Return the bytes that idle interpreters take as snapshots; None where they have arenas."""
    store = arenas.store
    return store.size if isinstance(store, SnapshotStore) else None
