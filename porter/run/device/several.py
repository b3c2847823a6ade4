"""Several devices as one: each runs a range of an array's interpreters."""

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
    """Interpreters `first` to `first + count - 1`, on one of several devices.

    label: the device, for people.
    """

    device: Device = field(repr=False)
    label: str
    first: int
    count: int

    @property
    def span(self) -> slice:
        """Where they stand among all."""
        return slice(self.first, self.first + self.count)

    @property
    def range(self) -> str:
        """Which they are, for people."""
        return f"interpreters {self.first} to {self.first + self.count - 1}"


@define(eq=False)
class Share:
    """What one of several devices keeps of an array: its part of the arenas, and memory's copies.

    arenas: None where interpreters end with their launch.
    """

    part: Part
    shadows: Shadows
    arenas: Arenas | None = None


def on_each(
    parts: Sequence[Part], work: Callable[[int], T], stop: Callable[[], object] | None = None
) -> list[T]:
    """work(k) for each part k, at the same time, each with its device as the current one.

    What the first of them raises is raised once all have ended. stop: called when this thread is
    interrupted meanwhile, for they have to end first.
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
    """Several devices of one build and one kind; arrays are numpy's, in the host's memory.

    A launch is divided before it starts (launch/several): consecutive whole blocks go to each
    device. `labels` are the devices' names for people.
    """

    linked: LinkedCode | None = None  # machine code of programs runs on none of them yet

    def __init__(self, devices: Sequence[Device], labels: Sequence[str]) -> None:
        first = devices[0]
        self.devices, self.labels = tuple(devices), tuple(labels)
        self.name = f"{len(devices)} x {first.name}"
        self.built, self.figures, self.warp = first.built, first.figures, first.warp
        self.block, self.local, self.scratch = first.block, first.local, first.scratch
        self.most_block = min(device.most_block for device in devices)
        self.templates = Templates()  # none: each device has its own

    def share(self, n: int, block: int) -> list[Part]:
        """Who runs which of `n` interpreters, in blocks of `block`; devices without any lack."""
        blocks, most = -(-n // block), len(self.devices)
        bounds = [min(n, block * (k * blocks // most)) for k in range(most + 1)]
        return [
            Part(device, label, bounds[k], bounds[k + 1] - bounds[k])
            for k, (device, label) in enumerate(zip(self.devices, self.labels, strict=True))
            if bounds[k + 1] > bounds[k]
        ]

    def arenas(self, n: int, pystack: int, heap: int) -> Arenas:
        """Arenas that each device makes for its part when the first launch tells the blocks."""
        shares: list[Share] = []
        return Arenas(n, {}, {"pystack": pystack, "heap": heap}, shares)

    def single(self, arenas: Arenas, index: int) -> Arenas:
        """A copy of one image, on the host. UsageError where interpreters cannot be copied.

        An image holds addresses of what its GPU's module has, and each GPU has that elsewhere.
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
        """Each device gives back what its part does not use."""
        given = 0
        for share in arenas.keep:
            with share.part.device.here():
                given += share.part.device.trim(share.arenas)
        return given

    def grow(
        self, arenas: Arenas, threads: int, block: int, spare: int | None, *, whole: bool
    ) -> Chunks | None:
        """Nothing: each device does so for its part of a launch."""
        return None

    def interrupt(self, value: int) -> Interrupt:
        """A word of the first device."""
        return self.devices[0].interrupt(value)

    def shared(self, size: int) -> Shared:
        """Memory of the host that all see: pinned memory has one address on all GPUs."""
        with self.devices[0].here():
            return self.devices[0].shared(size)

    def print_room(self, size: int) -> None:
        """Each device makes its own."""

    def room(self, local: int) -> Room:
        """As much on each device as where the least is free. Host twins share one memory."""
        left = []
        for device in self.devices:
            with device.here():
                left.append(device.room(local).left)
        total = min(left) if not self.devices[0].on_gpu else min(left) * len(left)
        return Room(total, 0)

    def launch(self, record: Record, threads: int, chunks: Chunks | None = None) -> Running:
        """UsageError: a record is one device's, and launches are divided before."""
        raise UsageError("a launch record is one device's; porter.run.run divides a launch")

    def close(self) -> None:
        """Give everything back, on each device."""
        for device in self.devices:
            with device.here():
                device.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {', '.join(self.labels)}>"


def on_host(value: object) -> object:
    """A CuPy array as NumPy's; anything else as it is."""
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):
        copy: object = value.get()
        return copy
    return value


def renamed(error: Exception, label: str) -> None:
    """Let a message of porter's say which device it is about."""
    if hasattr(error, "message"):
        error.message = f"{label}: {error.message}"
        error.args = (error.message, *error.args[1:])
