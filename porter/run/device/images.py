"""Images: local arenas at rest, kept as what differs from what they began as copies of.

An image is cut into pieces of 128 bytes. Those that differ from its *base* stand in *rows*, each of
which has one piece of 32 neighbouring images, a *bundle* (templates/runtime/launch.h, image.cuh).
Rows are taken from *segments* of equal size, so room grows by segments, and nothing is copied.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from attrs import define, field

from porter.errors import NotEnoughMemory
from porter.run.device.base import Arenas, Array, Device, Running
from porter.run.footprint import BUNDLE, PIECE, ROW, WORD, bundles

PIECE_WORDS, ROW_WORDS = PIECE // WORD, ROW // WORD
LEAST_ROWS, MOST_ROWS = 16, 1 << 16  # of a segment: to 256 MiB
PARTS = 8  # a store's rows are divided into so many segments at least, where they are not small


class RunKernel(Protocol):
    """Runs a kernel of templates/runtime/arrays.cu on at least so many threads."""

    def __call__(self, name: str, threads: int, *arguments: int) -> None:
        """Start it; later work with the arrays comes after it."""
        ...


@define(eq=False)
class Images:
    """The images of `n` interpreters, of at most `stride` pieces each.

    kernels: what runs over them on `device`. kept: owners of their bases.
    """

    device: Device = field(repr=False)
    n: int
    stride: int
    kernels: RunKernel = field(repr=False)
    kept: list[object] = field(factory=list, repr=False)
    shift: int = field(init=False)  # a segment has 2**shift rows
    _pieces: Array = field(init=False, repr=False)
    _used: Array = field(init=False, repr=False)
    _bases: Array = field(init=False, repr=False)
    _taken: Array = field(init=False, repr=False)
    _segments: list[Array] = field(factory=list, init=False, repr=False)
    _addresses: Array | None = field(default=None, init=False, repr=False)
    _running: weakref.ref[Running] | None = field(default=None, init=False, repr=False)
    _clean: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        rows = min(max(LEAST_ROWS, self.most // PARTS), MOST_ROWS)
        self.shift = rows.bit_length() - 1
        self.clear()

    @classmethod
    def arenas(cls, device: Device, n: int, sizes: dict[str, int], kernels: RunKernel) -> Arenas:
        """Images that hold no interpreters yet, as arenas. sizes: bytes of pystack and heap.

        Raises NotEnoughMemory.
        """
        stride = device.figures.pieces(sizes["heap"])
        try:
            images = cls(device, n, stride, kernels)
        except MemoryError as error:
            raise NotEnoughMemory(
                f"no memory for what says where the images of {n} interpreters are"
            ) from error
        return Arenas(n, images.fields, sizes, images)

    @property
    def most(self) -> int:
        """Rows with which every image has its most pieces."""
        return bundles(self.n) * self.stride

    @property
    def rows(self) -> int:
        """Rows that there is memory for."""
        return min(self.most, len(self._segments) << self.shift)

    @property
    def taken(self) -> int:
        """Rows that are taken, as a launch has left them. Reads the device's memory."""
        return int(self.device.host(self._taken)[0])

    @property
    def used(self) -> np.ndarray[Any, Any]:
        """Pieces of each image, 0 where there is none (n uint32)."""
        return self.device.host(self._used)

    @property
    def size(self) -> int:
        """Bytes of what the images take: rows that are taken, and what says where pieces are."""
        tables = (self._pieces, self._used, self._bases)
        return self.taken * ROW + sum(int(table.nbytes) for table in tables)

    @property
    def idle(self) -> bool:
        """Whether no launch is under way that uses them."""
        running = None if self._running is None else self._running()
        return running is None or running.wait(0)

    def used_by(self, running: Running) -> None:
        """A launch uses them until it has ended."""
        self._running = weakref.ref(running)  # which knows the images

    @property
    def fields(self) -> dict[str, int]:
        """What a launch record says of them."""
        address = self.device.address
        return {
            "image_pieces": address(self._pieces),
            "image_stride": self.stride,
            "image_used": address(self._used),
            "image_bases": address(self._bases),
            "image_segments": 0 if self._addresses is None else address(self._addresses),
            "image_shift": self.shift,
            "image_taken": address(self._taken),
        }

    def prepare(self, is_first: bool) -> None:
        """A launch is about to write images; is_first: whoever is in them is forgotten."""
        if is_first and not self._clean:
            self.clear()
        self._clean = False

    def clear(self) -> None:
        """Forget all images."""
        self._pieces = self._used = self._bases = None
        # An entry is a word (gpusnek_piece_t).
        self._pieces = self.device.zeros(bundles(self.n) * self.stride, np.uint64)
        self._used = self.device.zeros(self.n, np.uint32)
        self._bases = self.device.zeros(self.n, np.uint64)
        self._taken = self.device.zeros(1, np.uint32)
        self.kept.clear()
        self._clean = True

    def grow(self, rows: int) -> None:
        """Memory for so many rows in all, of which what is there stays. Raises MemoryError."""
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
        """Give segments back in which no row is taken; returns their bytes."""
        keep = -(-self.taken >> self.shift)
        given = sum(int(segment.nbytes) for segment in self._segments[keep:])
        if given:
            del self._segments[keep:]
            self._tell()
        return given

    def copies(self, which: Sequence[int] | np.ndarray[Any, Any]) -> Array:
        """Copies of images `which` as bases are, a row of words each; see address_of."""
        chosen = np.asarray(which, np.uint32)
        columns = (1 + int(self.used[chosen].max())) * PIECE_WORDS
        to = self.device.zeros((len(chosen), columns), np.uint64)
        numbers = self.device.array(chosen)
        address = self.device.address
        self.kernels(
            "gpusnek_images_copy",
            to.size,
            *(address(to), to.size, columns, address(numbers)),
            *(address(self._pieces), self.stride, *self._where()),
            *(address(self._bases), address(self._used)),
        )
        return to

    def rebase(self) -> None:
        """What all images with the base of the first one have alike becomes part of their base.

        Of pieces that some have from that base already, all keep the base's.
        """
        there = self.used != 0
        if not there.any():
            return
        index, host, address = int(there.argmax()), self.device.host, self.device.address
        entries, where = len(self._pieces), (address(self._bases), address(self._used))
        old = int(host(self._bases[index : index + 1])[0])
        tells = self.device.zeros(self.stride + 1, np.uint32)
        self.kernels(
            "gpusnek_images_common",
            entries * BUNDLE,
            *(address(self._pieces), entries, self.stride, *where, self.n, old, address(tells)),
        )
        *is_kept, others = (host(tells) != 0).tolist()
        first = index // BUNDLE * self.stride
        own = host(self._pieces[first : first + self.stride]) >> np.uint64(32 + index % BUNDLE)
        if not ((own & np.uint64(1) != 0) & ~np.array(is_kept)).any():
            return  # it has nothing of its own that could be all's
        copy = self.copies([index])
        base, words = address_of(self.device, copy), copy.size - PIECE_WORDS
        self.kernels("gpusnek_images_merge", words, base, words, old, address(tells))
        self.kernels(
            "gpusnek_images_compare",
            entries * BUNDLE,
            *(address(self._pieces), entries, self.stride, *self._where()),
            *(*where, self.n, old, base),
        )
        self.kernels("gpusnek_images_based", self.n, *where, self.n, old, base)
        self.kept[:] = [*(self.kept if others else ()), copy]

    def pack(self) -> None:
        """Rows in which no image has anything are free again, and those behind move up."""
        taken = self.taken
        if not taken:
            return
        owners = self.device.zeros(taken, np.uint64)
        address, entries = self.device.address, len(self._pieces)
        self.kernels(
            "gpusnek_images_owners", entries, address(self._pieces), entries, address(owners)
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
                "gpusnek_images_move",
                words,
                *(address(self._pieces), *self._where(), *map(address, numbers)),
                *(address(owners), words),
            )
        self._taken = self.device.array(np.array([live], np.uint32))

    def _where(self) -> tuple[int, int]:
        return self.fields["image_segments"], self.shift

    def _tell(self) -> None:
        places = [self.device.address(segment) for segment in self._segments]
        self._addresses = self.device.array(np.array(places, np.uint64)) if places else None


def address_of(device: Device, copies: Array, row: int = 0) -> int:
    """Where the image in a row of Images.copies is: behind the piece that tells its size."""
    columns = int(copies.shape[-1])
    return device.address(copies) + (row * columns + PIECE_WORDS) * WORD


def size_of(arenas: Arenas) -> int | None:
    """Bytes that interpreters at rest in `arenas` take as images; None where they are none."""
    images = arenas.keep
    return images.size if isinstance(images, Images) else None


def single(device: Device, arenas: Arenas, index: int) -> Arenas:
    """A copy of image `index` of `arenas` alone."""
    image = arenas.keep.copies([index])
    return Arenas(1, {"image": address_of(device, image)}, arenas.sizes, image)


def trim(arenas: Arenas) -> int:
    """Give back the memory of `arenas` that no image needs; returns its bytes."""
    images: Images = arenas.keep
    if not arenas.started or not images.idle:
        return 0
    given = images.shrink()  # before more is taken
    images.rebase()
    images.pack()
    given += images.shrink()
    arenas.fields |= images.fields
    return given


def base_on(arenas: Arenas | None, owner: object) -> None:
    """What begins in a launch of `arenas` begins as copies of images that `owner` keeps."""
    if arenas is not None and isinstance(arenas.keep, Images):
        arenas.keep.kept.append(owner)


def based_alone(arenas: Arenas | None, owner: object) -> None:
    """All images of `arenas` have bases of `owner` by now: those of others may go."""
    if arenas is not None and isinstance(arenas.keep, Images):
        arenas.keep.kept[:] = [owner]
