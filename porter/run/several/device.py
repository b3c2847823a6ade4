"""Several devices as one: each runs a consecutive range of an array's interpreters.

`porter.run.open` makes a `Several`; `porter.run.several.launch` divides launches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from attrs import define, field, frozen

from porter.base.process_bound import OfOneProcess
from porter.errors import UsageError
from porter.run.device.arrays import HostArrays
from porter.run.device.base import (
    Arenas,
    Chunks,
    Device,
    Interrupt,
    MemberDevice,
    Record,
    RunningKernels,
    Shared,
    SnapshotCopy,
)
from porter.run.device.linked_code import LinkedCode
from porter.run.device.policies import PolicyCache
from porter.run.device.snapshots import address_of
from porter.run.device.template_cache import Templates
from porter.run.footprint import MemoryBudget
from porter.run.several.shadows import Shadows

T = TypeVar("T")
MOST_THREADS = 64


@frozen
class Part:
    """A range of interpreters on one device: `first` to `first + count - 1`.

    Attributes:
        device: The device that runs them.
        label: The device's name for messages.
        first: Index of the first interpreter.
        count: Number of interpreters.
    """

    device: Device = field(repr=False)
    label: str
    first: int
    count: int

    @property
    def span(self) -> slice:
        """The range as a slice of all interpreters."""
        return slice(self.first, self.first + self.count)

    @property
    def range(self) -> str:
        """The range in words, for messages."""
        return f"interpreters {self.first} to {self.first + self.count - 1}"


@define(eq=False)
class Share:
    """The state of an array on one device: its arenas, and copies of host memory.

    Attributes:
        part: The range of interpreters.
        shadows: Device copies of host memory.
        arenas: None where interpreters end with their launch.
    """

    part: Part
    shadows: Shadows
    arenas: Arenas | None = None


@define(eq=False)
class MemberStore:
    """The stores of a composite device's members; each member's launch record has its own fields.

    Attributes:
        shares: The members' shares; empty before the first launch.
        fields: No fields.
    """

    shares: list[Share] = field(factory=list)
    fields: dict[str, int] = field(factory=dict)

    def add_base(self, owner: object) -> None:
        """Do nothing, because each member's launch does so for its share."""

    def set_base(self, owner: object) -> None:
        """Do nothing, because each member's launch does so for its share."""


def parts_of(members: Sequence[MemberDevice], n: int, block: int) -> list[Part]:
    """Divide `n` interpreters among `members`, in whole blocks; omit members without any."""
    blocks, most = -(-n // block), len(members)
    bounds = [min(n, block * (k * blocks // most)) for k in range(most + 1)]
    return [
        Part(member.device, member.label, bounds[k], bounds[k + 1] - bounds[k])
        for k, member in enumerate(members)
        if bounds[k + 1] > bounds[k]
    ]


def on_each(
    parts: Sequence[Part], work: Callable[[int], T], stop: Callable[[], object] | None = None
) -> list[T]:
    """Call `work(k)` for each part k in parallel, with the part's device as the current one.

    The first exception is raised after all calls have ended.

    Args:
        parts: The parts.
        work: The function to call.
        stop: Called on KeyboardInterrupt in this thread, so that the calls end early.
    """

    def here(k: int) -> T:
        with parts[k].device.here():
            return work(k)

    if len(parts) == 1:
        return [here(0)]
    with ThreadPoolExecutor(min(len(parts), MOST_THREADS)) as pool:
        futures = [pool.submit(here, k) for k in range(len(parts))]
        try:
            return [future.result() for future in futures]
        except KeyboardInterrupt:
            if stop is not None:
                stop()
            raise


class Several(OfOneProcess, HostArrays):
    """A composite device: several devices of one build and one type.

    Its arrays are numpy's, in host memory. `porter.run.several.launch` divides a launch: each
    member gets consecutive whole blocks. `labels` are the members' names for messages.
    """

    linked: LinkedCode | None = None
    native_refusal = "several devices run no native code of programs yet"

    def __init__(self, devices: Sequence[Device], labels: Sequence[str]) -> None:
        first = devices[0]
        self.members = tuple(map(MemberDevice, devices, labels))
        self.name = f"{len(devices)} x {first.name}"
        self.built, self.figures, self.warp = first.built, first.figures, first.warp
        self.block, self.local, self.scratch = first.block, first.local, first.scratch
        self.cores = sum(device.cores for device in devices)
        self.most_block = min(device.most_block for device in devices)
        self.templates = Templates()  # unused: each device has its own
        self.policies: PolicyCache | None = None

    @property
    def devices(self) -> tuple[Device, ...]:
        """The members' devices."""
        return tuple(member.device for member in self.members)

    @property
    def labels(self) -> tuple[str, ...]:
        """The members' names for messages."""
        return tuple(member.label for member in self.members)

    @property
    def compiler(self) -> Device:
        """The compiler of the first member."""
        return self.devices[0].compiler

    def arenas(self, n: int, pystack: int, heap: int) -> Arenas:
        """Return arenas without memory. Each device allocates its share in the first launch."""
        return Arenas(n, {"pystack": pystack, "heap": heap}, MemberStore())

    def local_value(self, value: object) -> object:
        """Return `value`, or a host copy of a CuPy array."""
        if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):
            copy: object = value.get()
            return copy
        return value

    def single(self, arenas: Arenas, index: int) -> SnapshotCopy:
        """Copy one snapshot to the host.

        A snapshot contains addresses of its GPU's module, which differ between GPUs.

        Raises:
            UsageError: The interpreters cannot be copied.
        """
        shares = shares_of(arenas)
        if self.devices[0].on_gpu and len({id(share.part.device) for share in shares}) > 1:
            raise UsageError(
                "interpreters of one GPU cannot be copied to another",
                hint="Run their source in all of them, or open the array on one GPU.",
            )
        for share in shares:
            part = share.part
            if part.first <= index < part.first + part.count:
                assert share.arenas is not None  # shares of persistent interpreters have arenas
                with part.device.here():
                    copy = part.device.single(share.arenas, index - part.first)
                    words = part.device.host(copy.words)
                return SnapshotCopy(words, address_of(self, words))
        raise UsageError("interpreters that have not started cannot be copied")

    def trim(self, arenas: Arenas) -> int:
        """Release unused memory of each device's part. Returns the bytes released."""
        released = 0
        for share in shares_of(arenas):
            assert share.arenas is not None  # shares of persistent interpreters have arenas
            with share.part.device.here():
                released += share.part.device.trim(share.arenas)
        return released

    def grow(
        self, arenas: Arenas, threads: int, block: int, spare: int | None, *, whole: bool
    ) -> Chunks | None:
        """Do nothing, because each device does so for its part of a launch."""
        return None

    def interrupt(self, value: int) -> Interrupt:
        """Create an interrupt word on the first device."""
        return self.devices[0].interrupt(value)

    def shared(self, size: int) -> Shared:
        """Allocate host memory that all devices share.

        Pinned memory has one address on all GPUs.
        """
        with self.devices[0].here():
            return self.devices[0].shared(size)

    def print_room(self, size: int) -> None:
        """Do nothing, because each device resizes its own buffer."""

    def memory_budget(self, local: int) -> MemoryBudget:
        """Return the memory that a uniform division can use: the minimum times the number of GPUs.

        Host twins share one memory, so it counts once.
        """
        left = []
        for device in self.devices:
            with device.here():
                left.append(device.memory_budget(local).left)
        total = min(left) if not self.devices[0].on_gpu else min(left) * len(left)
        return MemoryBudget(total, 0)

    def launch(
        self, record: Record, threads: int, chunks: Chunks | None = None, *, urgent: bool = False
    ) -> RunningKernels:
        """Raise UsageError: a record belongs to one device, and launches are divided before."""
        raise UsageError("a launch record is one device's; porter.run.run divides a launch")

    def close(self) -> None:
        """Close each device."""
        for device in self.devices:
            with device.here():
                device.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {', '.join(self.labels)}>"


def shares_of(arenas: Arenas) -> list[Share]:
    """Return the members' shares of a composite device's arenas."""
    assert isinstance(arenas.store, MemberStore)
    return arenas.store.shares


def renamed(error: Exception, label: str) -> None:
    """Prefix the message of a porter error with the device's name."""
    if hasattr(error, "message"):
        error.message = f"{label}: {error.message}"
        error.args = (error.message, *error.args[1:])
