"""What the runner needs of a machine that interpreters run on."""

from __future__ import annotations

import os
from typing import Any, Protocol

import attrs
import numpy as np
from attrs import define

from porter.base import arguments
from porter.base.sizes import format_size
from porter.errors import NotEnoughMemory, UsageError
from porter.run.built import Built, open_build

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


@attrs.frozen
class Room:
    """Memory that interpreters can have: free bytes, and bytes that each launch takes anyway."""

    free: int
    fixed: int

    def check(self, n: int, each: int, smaller: str) -> None:
        """NotEnoughMemory unless `n` interpreters of `each` bytes fit.

        smaller: the sizes that may help, for the hint.
        """
        left = max(0, self.free - self.fixed)
        most = left // each
        if n > most:
            raise NotEnoughMemory(
                f"{n} interpreters do not fit: each takes {format_size(each)}, and "
                f"{format_size(left)} are free",
                hint=f"At most {most} fit now; or make {smaller} smaller.",
            )


BLOCK = 128  # interpreters that share a barrier where nothing else is said, on every device


class Device(Protocol):
    """One target of one build. `xp` is the array module: numpy or cupy.

    block: interpreters of a block where a launch does not say; most_block: where it does, at most.
    """

    name: str
    block: int
    most_block: int
    built: Built
    xp: Any

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

    def room(self, pystack: int, heap: int, stack: int) -> Room:
        """The memory there is for interpreters of such sizes."""

    def bytes_each(self, pystack: int, heap: int, persist: bool) -> int:
        """What one interpreter takes beside its streams, bytes."""

    def launch(self, record: Record, n: int) -> Running:
        """Start the interpreters of `record` and return at once."""

    def close(self) -> None:
        """Give everything back."""


class Running(Protocol):
    """A launch under way."""

    def wait(self, seconds: float | None) -> bool:
        """Whether it has ended, after at most `seconds`. Raises LaunchFailed."""

    @property
    def seconds(self) -> float:
        """What an ended launch took on the device: no transfers, no waiting."""


@define
class Arenas:
    """Arenas or images of `n` interpreters, and what a launch record says of them.

    sizes: bytes of `pystack` and `heap`; pointers inside an arena hold for these alone.
    """

    n: int
    fields: dict[str, int]
    sizes: dict[str, int]
    keep: Any = attrs.field(default=None, repr=False)
    started: bool = False
    used: Array | None = attrs.field(default=None, repr=False)  # 8-byte words of each image


# What a device can be opened with: threads of the host twin; of a GPU the interpreters of a block
# where a launch does not say, and the stream of all launches.
OPTIONS = {"host": ("threads",), "cuda": ("block", "stream")}
MOST_THREADS = 1 << 16


def open_device(folder: str | os.PathLike[str] | Built, target: str, **options: Any) -> Device:
    """The device `target` (`host`, `host-asan`, `cuda`) of the build in `folder`.

    options: OPTIONS. Raises NotBuilt, NoGpu, MissingPackage, LaunchFailed, UsageError, WrongType.
    """
    arguments.text(target, "target")
    known = OPTIONS.get(target.partition("-")[0])
    if known is None:
        raise UsageError(f"target: {target!r} is neither host nor cuda")
    for name, value in options.items():
        if name not in known:
            raise UsageError(f"{name}: {target} has no such option; it has {', '.join(known)}")
        if name != "stream" and value is not None:
            arguments.whole(value, name, 1, MOST_THREADS)
    built = folder if isinstance(folder, Built) else open_build(folder)
    if target == "cuda":
        from porter.run.cuda import Cuda

        return Cuda(built, **options)
    from porter.run.host import HostTwin

    return HostTwin(built, variant=target, **options)
