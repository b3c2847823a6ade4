"""What the runner needs of what interpreters run on."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol

import attrs
import numpy as np
from attrs import define

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

    sizes: bytes of `pystack` and `heap`; pointers inside an arena hold for these alone. used:
    8-byte words of each image. together: why interpreters in them run in the caller's order, once
    they may wait for each other (launch/order.py). owned: bytecode that they execute.
    """

    n: int
    fields: dict[str, int]
    sizes: dict[str, int]
    keep: Any = attrs.field(default=None, repr=False)
    started: bool = False
    used: Array | None = attrs.field(default=None, repr=False)
    together: str = ""
    owned: list[Array] = attrs.field(factory=list, repr=False)


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

    def column(self, words: Array, index: int) -> Array:
        """A copy of column `index` of `words` (n x k): n words."""

    def transposed(self, words: Array) -> Array:
        """A copy of `words` (n x k) as k x n."""

    def repeated(self, values: np.ndarray[Any, Any], n: int) -> Array:
        """`n` copies of `values`, one after the other."""

    def resized(self, array: Array, length: int) -> Array:
        """A copy of `array` with `length` elements, undefined behind those that `array` has."""


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

    def grow(self, arenas: Arenas) -> None:
        """Undo trim, before a launch. Raises NotEnoughMemory."""

    def interrupt(self, value: int) -> Interrupt:
        """A fresh interrupt word, with this value for launches from now on."""

    def shared(self, size: int) -> Shared:
        """`size` bytes that host and interpreters read and write meanwhile."""

    def print_room(self, size: int) -> None:
        """Ask for `size` bytes of output that a launch can print before it ends."""

    def room(self, local: int) -> Room:
        """The memory there is for interpreters whose threads need `local` bytes of local memory."""

    def launch(self, record: Record, threads: int) -> Running:
        """Start the interpreters of `record`, on so many threads, and return at once."""

    def close(self) -> None:
        """Give everything back."""


class Running(Protocol):
    """A launch under way."""

    def wait(self, seconds: float | None) -> bool:
        """Whether it has ended, after at most `seconds`. Raises LaunchFailed."""

    @property
    def seconds(self) -> float:
        """What an ended launch took on the device: no transfers, no waiting."""
