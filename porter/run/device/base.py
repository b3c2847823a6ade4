"""What the runner needs of what interpreters run on."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol

import attrs
import numpy as np
from attrs import define, frozen

from porter.errors import NotEnoughMemory
from porter.run.built import Built
from porter.run.device.linking import LinkedCode
from porter.run.device.templates import Templates
from porter.run.footprint import Figures, Room

Array = Any  # numpy.ndarray, or cupy.ndarray on the GPU
Record = np.ndarray[Any, Any]  # one gpusnek_launch_t


@define
class Shared:
    """Memory that the host and running interpreters both see: `view` is bytes, zero at first."""

    view: np.ndarray[Any, Any]
    address: int
    keep: object = attrs.field(default=None, repr=False)  # what owns the memory


class Interrupt(Protocol):
    """A 32-bit word that the host writes and running interpreters poll."""

    @property
    def address(self) -> int:
        """Where interpreters read it."""

    def write(self, value: int) -> None:
        """Set the word, seen by interpreters that run; see interp.h for what values mean."""


BLOCK = 128  # interpreters that share a barrier where nothing else is said, on every device


@define
class Arenas:
    """Arenas or images of `n` interpreters, and what a launch record says of them.

    sizes: bytes of `pystack` and `heap`; pointers inside an arena hold for these alone. together:
    why interpreters in them run in the caller's order, once they may wait for each other
    (launch/order.py); at_once: whether they may wait for any other, and so run as one kernel.
    owned: bytecode that they execute.
    """

    n: int
    fields: dict[str, int]
    sizes: dict[str, int]
    keep: Any = attrs.field(default=None, repr=False)
    started: bool = False
    together: str = ""
    at_once: bool = False
    owned: list[Array] = attrs.field(factory=list, repr=False)


@frozen
class Chunks:
    """How a launch is divided into kernels, so that each finds room for its images (chunks.py).

    arenas: whose images it leaves. size: threads of a kernel at most. grain: threads in which they
    are counted, whole blocks and whole bundles.
    """

    arenas: Arenas = attrs.field(repr=False)
    size: int
    grain: int


class Operations(Protocol):
    """What the runner computes over arrays of all interpreters, where these are.

    CuPy compiles a kernel when one of its operations is first used. So the runner uses of CuPy only
    memory, copies and views; what computes stands here, and device builds have kernels for it.
    Rows are of uint64 words; which: indices of rows (numpy).
    """

    def first_equal(self, words: Array, columns: int, lengths: Array) -> np.ndarray[Any, Any]:
        """Of each row of `words` (n x k) the first row that is equal to it (n int64, numpy).

        Rows are equal if their first `columns` words and their `lengths` (n uint32) are.
        """

    def rows(
        self, words: Array, columns: int | None = None, which: np.ndarray[Any, Any] | None = None
    ) -> Array:
        """A copy of rows `which` (all, if None) of `words` (n x k): their first `columns` words."""

    def repeated(self, values: np.ndarray[Any, Any], n: int) -> Array:
        """`n` copies of `values`, one after the other."""


class Device(Protocol):
    """One target of one build. `xp` is the array module: numpy or cupy.

    name: `host` or `cuda`, for people. block: interpreters of a block where a launch does not
    say; most_block: where it does, at most. on_gpu: whether its arrays are in a GPU's memory.
    local: whether arenas are in local memory, where each has equal addresses and rests as an
    image. scratch: whether interpreters that end with their launch need no arenas of ours.
    warp: threads that execute one instruction together. figures: what the build measured of
    itself. templates: interpreters to begin as copies of. operations: over its arrays.
    linked: the code that it was opened with, where that is not its build's.
    """

    name: str
    block: int
    most_block: int
    built: Built
    xp: Any
    on_gpu: bool
    local: bool
    scratch: bool
    warp: int
    figures: Figures
    templates: Templates
    operations: Operations
    linked: LinkedCode | None

    def here(self) -> AbstractContextManager[object]:
        """While it is entered, what this thread does with arrays and launches is for this device.

        Only several devices at once need it: one GPU is the thread's current one anyway.
        """

    def array(self, values: np.ndarray[Any, Any]) -> Array:
        """A copy of `values` where interpreters can read it."""

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """Zeroed memory where interpreters can write."""

    def address(self, array: Array) -> int:
        """Where `array` is, as interpreters see it."""

    def host(self, array: Array) -> np.ndarray[Any, Any]:
        """`array` as numpy sees it."""

    def arenas(self, n: int, pystack: int, heap: int) -> Arenas:
        """Memory in which `n` interpreters outlive a launch."""

    def single(self, arenas: Arenas, index: int) -> Arenas:
        """A copy of interpreter `index` at rest in `arenas`, for others to begin as.

        Raises UsageError where interpreters cannot be copied.
        """

    def trim(self, arenas: Arenas) -> int:
        """Give memory back that no interpreter resting in `arenas` uses; returns its bytes."""

    def grow(
        self, arenas: Arenas, threads: int, block: int, spare: int | None, *, whole: bool
    ) -> Chunks | None:
        """Room for what a launch leaves in `arenas`, and how it runs with that.

        block: threads of a block. spare: bytes that it may take; None: it leaves nothing. whole:
        the launch has to be one kernel. Raises NotEnoughMemory, losing nothing.
        """

    def interrupt(self, value: int) -> Interrupt:
        """A fresh interrupt word, with this value for launches from now on."""

    def shared(self, size: int) -> Shared:
        """`size` bytes that host and interpreters read and write meanwhile."""

    def print_room(self, size: int) -> None:
        """Ask for `size` bytes of output that a launch can print before it ends."""

    def room(self, local: int) -> Room:
        """The memory there is for interpreters whose threads need `local` bytes of local memory."""

    def launch(self, record: Record, threads: int, chunks: Chunks | None = None) -> Running:
        """Start the interpreters of `record`, on so many threads, and return at once.

        chunks: what `grow` returned, where they leave something in arenas.
        """

    def close(self) -> None:
        """Give everything back."""


class Running(Protocol):
    """A launch under way. refused: once it has ended, why some interpreters did not run."""

    @property
    def refused(self) -> NotEnoughMemory | None:
        """They are as they were."""

    def wait(self, seconds: float | None) -> bool:
        """Whether it has ended, after at most `seconds`. Raises LaunchFailed."""

    @property
    def seconds(self) -> float:
        """What an ended launch took on the device: no transfers, no waiting."""
