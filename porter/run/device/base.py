"""The device protocol: the operations that launches need from the host twin or a GPU.

`porter.run.open` opens a device, `porter.run.launch` starts kernels on it. `host.HostTwin` and
`cuda.Cuda` implement the protocol for one device. `porter.run.several.device.Several` implements it
for several devices: a composite, whose `members` run the interpreters.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol

import attrs
import numpy as np
from attrs import define, frozen

from porter.errors import NotEnoughMemory
from porter.run.built import Built
from porter.run.device.linked_code import LinkedCode
from porter.run.device.policies import PolicyCache
from porter.run.device.template_cache import Templates
from porter.run.footprint import Figures, MemoryBudget

Array = Any  # numpy.ndarray, or cupy.ndarray on the GPU
Record = np.ndarray[Any, Any]  # one gpusnek_launch_t


@define
class Shared:
    """Memory that the host and running interpreters share.

    Attributes:
        view: The memory as bytes, zero at first.
        address: Its address for interpreters.
        keep: The owner of the memory.
    """

    view: np.ndarray[Any, Any]
    address: int
    keep: object = attrs.field(default=None, repr=False)


class Interrupt(Protocol):
    """A 32-bit word that the host writes and running interpreters poll."""

    @property
    def address(self) -> int:
        """The word's address for interpreters."""

    def write(self, value: int) -> None:
        """Set the word while interpreters run; interp.h lists the values."""


# interpreters per block (they share a barrier) unless a launch says otherwise; any device
BLOCK = 128


class ArenaStore(Protocol):
    """The memory in which interpreters persist between launches, as one device stores it.

    The implementations are `ArenaMemory` (whole arenas), `snapshots.SnapshotStore` (snapshots of
    local arenas) and `several.device.MemberStore` (a store of each member of a composite device).
    """

    @property
    def fields(self) -> dict[str, int]:
        """The store's fields of a launch record."""

    def add_base(self, owner: object) -> None:
        """Keep `owner` alive: the next launch starts interpreters as copies of its snapshots."""

    def set_base(self, owner: object) -> None:
        """Keep only `owner` alive: all snapshots have its snapshots as bases by now."""


@frozen(eq=False)
class ArenaMemory:
    """Whole arenas, which have no base snapshots.

    Attributes:
        fields: Fields of the launch record.
        owner: The owner of the memory.
    """

    fields: dict[str, int]
    owner: object = attrs.field(repr=False)

    def add_base(self, owner: object) -> None:
        """Do nothing, because an arena has no base snapshot."""

    def set_base(self, owner: object) -> None:
        """Do nothing, because an arena has no base snapshot."""


@frozen(eq=False)
class SnapshotCopy:
    """A copy of the snapshot of an idle interpreter, for others to start as copies of.

    Attributes:
        words: The snapshot in the format of base snapshots (uint64).
        address: Its address for interpreters.
    """

    words: Array = attrs.field(repr=False)
    address: int


@define
class Arenas:
    """Arenas or snapshots of `n` interpreters.

    Attributes:
        n: Number of interpreters.
        sizes: Bytes of `pystack` and `heap`. Pointers inside an arena are valid for these sizes
            only.
        store: The memory.
        started: Whether the interpreters have started.
        together: Why interpreters keep the caller's order from now on: they may wait for each other
            (launch/order.py). Empty where they do not.
        at_once: Whether an interpreter may wait for any other, so that launches must be one kernel.
        owned: Bytecode that the interpreters execute.
    """

    n: int
    sizes: dict[str, int]
    store: ArenaStore = attrs.field(repr=False)
    started: bool = False
    together: str = ""
    at_once: bool = False
    owned: list[Array] = attrs.field(factory=list, repr=False)

    @property
    def fields(self) -> dict[str, int]:
        """The fields of the launch record, which are current at each read."""
        return self.store.fields


class Chunks(Protocol):
    """The division of a launch into kernels: a result of `Device.grow`, for `Device.launch`."""

    @property
    def size(self) -> int:
        """Maximum threads per kernel."""


@frozen
class MemberDevice:
    """A device among which a composite device divides its interpreters.

    Attributes:
        device: The device.
        label: Its name for messages.
    """

    device: Device = attrs.field(repr=False)
    label: str


class Operations(Protocol):
    """Computations over arrays of all interpreters, in the device's memory.

    CuPy compiles a kernel when one of its operations is first used. The runtime therefore uses only
    CuPy's memory, copies and views. Computations are here, and device builds have kernels for them.
    Rows consist of uint64 words; `which` holds row indices (numpy).
    """

    def first_equal(self, words: Array, columns: int, lengths: Array) -> np.ndarray[Any, Any]:
        """Return for each row the index of the first row equal to it (n int64, numpy).

        Args:
            words: Rows (n x k uint64).
            columns: Only the first `columns` words of rows are compared.
            lengths: Equal rows have equal lengths too (n uint32).
        """

    def rows(
        self, words: Array, columns: int | None = None, which: np.ndarray[Any, Any] | None = None
    ) -> Array:
        """Copy rows of `words` (n x k).

        Args:
            words: The rows.
            columns: Copy the first `columns` words of each row; None: all.
            which: Indices of the rows to copy; None: all.
        """

    def repeated(self, values: np.ndarray[Any, Any], n: int) -> Array:
        """Return `n` consecutive copies of `values`."""


class Device(Protocol):
    """A target of a build, opened to run launches.

    Attributes:
        name: `host` or `cuda`, for messages.
        block: Default number of interpreters per block.
        most_block: Maximum number of interpreters per block.
        built: The build.
        xp: The array module: numpy or cupy.
        on_gpu: Whether arrays are in a GPU's memory.
        local: Whether arenas are in local memory. They then have equal addresses in all threads,
            and idle interpreters are stored as snapshots.
        scratch: Whether interpreters that end with their launch need no arenas from the caller.
        warp: Threads that execute one instruction together.
        cores: Threads of this process that run interpreters; 0 on a GPU.
        figures: Sizes that the build measured.
        templates: The cache of compiled interpreters that others start as copies of.
        policies: Measurements of reconvergence policies; None on a device without warps.
        operations: Computations over arrays.
        linked: Code that replaces the build's; None where the build's own is loaded.
        members: The devices that run a composite device's interpreters, in order. Empty for a
            device that runs interpreters itself.
        compiler: The device that compiles programs for this one: a host twin of the same build
            where there is one, else the device itself.
        native_refusal: Why the open device accepts no further native code; empty where it does.
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
    cores: int
    figures: Figures
    templates: Templates
    policies: PolicyCache | None
    operations: Operations
    linked: LinkedCode | None
    members: tuple[MemberDevice, ...]
    native_refusal: str

    @property
    def compiler(self) -> Device: ...

    def here(self) -> AbstractContextManager[object]:
        """Return a context manager that makes this device current for the calling thread.

        Only several devices in one process need it.
        """

    def apart(self) -> AbstractContextManager[object]:
        """Return a context manager in which this thread's copies wait for no other thread's.

        Threads that launch on one device at the same time use it, inside of `here`. An array that a
        thread copies for all of them needs `finish` before others use it.
        """

    def finish(self) -> None:
        """Wait until this thread's copies have ended."""

    def array(self, values: np.ndarray[Any, Any]) -> Array:
        """Copy `values` to memory that interpreters can read."""

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> Array:
        """Allocate zeroed memory that interpreters can write."""

    def address(self, array: Array) -> int:
        """Return the address of `array` for interpreters."""

    def host(self, array: Array) -> np.ndarray[Any, Any]:
        """Return `array` as a numpy array."""

    def local_value(self, value: object) -> object:
        """Return `value`; a copy in host memory if it is an array that `array` cannot read."""

    def arenas(self, n: int, pystack: int, heap: int) -> Arenas:
        """Allocate memory in which `n` interpreters persist between launches."""

    def single(self, arenas: Arenas, index: int) -> SnapshotCopy:
        """Copy the idle interpreter `index` of `arenas`, so that others can start as copies of it.

        Raises:
            UsageError: Interpreters of this device cannot be copied.
        """

    def trim(self, arenas: Arenas) -> int:
        """Release memory that no idle interpreter in `arenas` needs. Returns the bytes released."""

    def grow(
        self, arenas: Arenas, threads: int, block: int, spare: int | None, *, whole: bool
    ) -> Chunks | None:
        """Allocate memory for the snapshots that a launch writes to `arenas`, and plan its kernels.

        Args:
            arenas: The interpreters of the launch.
            threads: Threads of the launch.
            block: Threads per block.
            spare: Bytes that may be allocated; None: the launch writes no snapshots.
            whole: The launch has to be one kernel.

        Raises:
            NotEnoughMemory: The memory does not suffice. The interpreters are unchanged.
        """

    def interrupt(self, value: int) -> Interrupt:
        """Create an interrupt word with an initial value, for the launches that follow."""

    def shared(self, size: int) -> Shared:
        """Allocate `size` bytes that host and interpreters access at the same time."""

    def print_room(self, size: int) -> None:
        """Request a device printf buffer of `size` bytes for launches."""

    def memory_budget(self, local: int) -> MemoryBudget:
        """Return the memory available where threads need `local` bytes of local memory."""

    def launch(
        self, record: Record, threads: int, chunks: Chunks | None = None, *, urgent: bool = False
    ) -> RunningKernels:
        """Start the interpreters of `record` on `threads` threads, and return at once.

        Args:
            record: The launch record.
            threads: Number of threads.
            chunks: The result of `grow`, where interpreters persist in arenas.
            urgent: Whether its blocks start before those of launches in progress.
        """

    def close(self) -> None:
        """Release the device's resources."""


class RunningKernels(Protocol):
    """The kernels of a launch in progress, or the threads of the host twin."""

    @property
    def refused(self) -> NotEnoughMemory | None:
        """Why some interpreters did not run, once the launch has ended. They are unchanged."""

    def wait(self, seconds: float | None) -> bool:
        """Wait at most `seconds` (None: without limit); return whether the launch has ended.

        Raises:
            LaunchFailed: The device failed.
        """

    @property
    def seconds(self) -> float:
        """Seconds that an ended launch took on the device, without transfers and waiting."""
