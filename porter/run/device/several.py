"""Several devices as one: each runs a consecutive range of an array's interpreters.

`porter.run.open_several` makes a `Several`; `porter.run.launch.several` divides launches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from attrs import define, field, frozen

from porter.base.one_process import OfOneProcess
from porter.errors import UsageError
from porter.run.device.base import (
    Arenas,
    Chunks,
    Device,
    Interrupt,
    Record,
    Running,
    Shared,
)
from porter.run.device.host_arrays import HostArrays
from porter.run.device.images import address_of
from porter.run.device.linking import LinkedCode
from porter.run.device.shadows import Shadows
from porter.run.device.templates import Templates
from porter.run.footprint import Room

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
    """Several devices of one build and one type; arrays are numpy's, in host memory.

    A launch is divided before it starts (launch/several): each device gets consecutive whole
    blocks. `labels` are the devices' names for messages.
    """

    linked: LinkedCode | None = None  # native code of programs is not supported here yet

    def __init__(self, devices: Sequence[Device], labels: Sequence[str]) -> None:
        first = devices[0]
        self.devices, self.labels = tuple(devices), tuple(labels)
        self.name = f"{len(devices)} x {first.name}"
        self.built, self.figures, self.warp = first.built, first.figures, first.warp
        self.block, self.local, self.scratch = first.block, first.local, first.scratch
        self.most_block = min(device.most_block for device in devices)
        self.templates = Templates()  # unused: each device has its own

    def share(self, n: int, block: int) -> list[Part]:
        """Divide `n` interpreters among the devices, in whole blocks; omit devices without any."""
        blocks, most = -(-n // block), len(self.devices)
        bounds = [min(n, block * (k * blocks // most)) for k in range(most + 1)]
        return [
            Part(device, label, bounds[k], bounds[k + 1] - bounds[k])
            for k, (device, label) in enumerate(zip(self.devices, self.labels, strict=True))
            if bounds[k + 1] > bounds[k]
        ]

    def arenas(self, n: int, pystack: int, heap: int) -> Arenas:
        """Return arenas without memory. Each device allocates its share in the first launch."""
        shares: list[Share] = []
        return Arenas(n, {}, {"pystack": pystack, "heap": heap}, shares)

    def single(self, arenas: Arenas, index: int) -> Arenas:
        """Copy one snapshot to the host.

        A snapshot contains addresses of its GPU's module, which differ between GPUs.

        Raises:
            UsageError: The interpreters cannot be copied.
        """
        if self.devices[0].on_gpu and len({id(share.part.device) for share in arenas.keep}) > 1:
            raise UsageError(
                "interpreters of one GPU cannot be copied to another",
                hint="Run their source in all of them, or open the array on one GPU.",
            )
        for share in arenas.keep:
            part = share.part
            if part.first <= index < part.first + part.count:
                with part.device.here():
                    one = part.device.single(share.arenas, index - part.first)
                    image = part.device.host(one.keep)
                return Arenas(1, {"image": address_of(self, image)}, arenas.sizes, image)
        raise UsageError("interpreters that have not started cannot be copied")

    def trim(self, arenas: Arenas) -> int:
        """Release unused memory of each device's part. Returns the bytes released."""
        given = 0
        for share in arenas.keep:
            with share.part.device.here():
                given += share.part.device.trim(share.arenas)
        return given

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

    def room(self, local: int) -> Room:
        """Return the memory that a uniform division can use: the minimum times the number of GPUs.

        Host twins share one memory, so it counts once.
        """
        left = []
        for device in self.devices:
            with device.here():
                left.append(device.room(local).left)
        total = min(left) if not self.devices[0].on_gpu else min(left) * len(left)
        return Room(total, 0)

    def launch(self, record: Record, threads: int, chunks: Chunks | None = None) -> Running:
        """Raise UsageError: a record belongs to one device, and launches are divided before."""
        raise UsageError("a launch record is one device's; porter.run.run divides a launch")

    def close(self) -> None:
        """Close each device."""
        for device in self.devices:
            with device.here():
                device.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {', '.join(self.labels)}>"


def on_host(value: object) -> object:
    """Copy a CuPy array to the host; return other values unchanged."""
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):
        copy: object = value.get()
        return copy
    return value


def renamed(error: Exception, label: str) -> None:
    """Prefix the message of a porter error with the device's name."""
    if hasattr(error, "message"):
        error.message = f"{label}: {error.message}"
        error.args = (error.message, *error.args[1:])
