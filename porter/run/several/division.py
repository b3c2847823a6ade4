"""Divide a launch: compute the part of one of several devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from attrs import frozen

from porter.run.device.base import Device, Shared, SnapshotCopy
from porter.run.device.snapshots import address_of
from porter.run.launch.bindings import Binding
from porter.run.launch.limits import Each
from porter.run.launch.options import Copies, Fetch, Launch, Phase, Program, ProgramColumns
from porter.run.launch.plan import LaunchRequest
from porter.run.launch.programs import Programs
from porter.run.launch.validators import Texts
from porter.run.several.device import Share
from porter.run.several.shadows import bytes_of, memory_at
from porter.run.streams.feed import Feed

NOTHING = np.uint64(2**64 - 1)  # launch.h: the interpreter has no bytes to fetch


class SharedFeed(Feed):
    """A feed that several launches read; its memory is attached already."""

    def __init__(self, feed: Feed, memory: Shared) -> None:
        super().__init__(feed.room)
        self._memory = memory

    def attach(self, device: Device) -> Shared:
        """Return the caller's memory, which has one address on all GPUs."""
        return self._memory

    def close(self) -> None:
        """Do nothing, because the caller's feed is closed once all parts have ended."""


@frozen(eq=False)
class Division:
    """The part of a launch that one device runs.

    Attributes:
        programs: The programs of its interpreters.
        launch: Its launch.
        phase: Its phase.
        program_of: The program of each of its interpreters.
        fetched: The device's memory for fetched bytes, and the host memory to copy them to.
    """

    programs: Sequence[Program]
    launch: Launch
    phase: Phase
    program_of: np.ndarray[Any, Any] | None
    fetched: tuple[Fetch, np.ndarray[Any, Any]] | None = None

    def request(self, n: int) -> LaunchRequest:
        """Return the arguments of the launch of `n` interpreters on this device."""
        return LaunchRequest(self.programs, n, self.launch, self.phase, self.program_of)

    def finish(self, device: Device) -> None:
        """Copy fetched bytes to the caller's memory, after the launch."""
        if self.fetched is not None:
            fetch, to = self.fetched
            to[...] = bytes_of(device.host(fetch.memory))


def divide(
    share: Share, programs: Programs, launch: Launch, phase: Phase, stdin: bytes | Texts | Feed
) -> Division:
    """Compute the part of a launch that `share` runs.

    Args:
        share: The device and its range of interpreters.
        programs: The programs of all interpreters.
        launch: The launch of all interpreters.
        phase: The phase of all interpreters.
        stdin: The stdin of all interpreters; a Feed is attached already.
    """
    part, n = share.part, programs.n
    chosen, program_of = _programs(programs, part.span)
    if not phase.execute or phase.compiled is not None:
        chosen = []
    fetched = None if phase.fetch is None else _fetch(share, phase.fetch)
    mine = attrs.evolve(
        launch,
        first=launch.first + part.first,
        total=n if launch.total is None else launch.total,
        stdin=Texts(stdin[part.span]) if isinstance(stdin, Texts) else stdin,
        ring=max(1, launch.ring * part.count // n),
        max_steps=_each(launch.max_steps, part.span),
        deadline=_each(launch.deadline, part.span),
        fail_allocation=_rows(launch.fail_allocation, part.span),
        **_memory(share, launch, n),
    )
    lives = attrs.evolve(
        phase,
        arenas=share.arenas,
        copies=_copies(share, phase.copies),
        compiled=_compiled(share, phase.compiled),
        fetch=None if fetched is None else fetched[0],
        bindings=divided_bindings(share, phase.bindings),
    )
    return Division(chosen, mine, lives, program_of, fetched)


def _programs(
    programs: Programs, span: slice
) -> tuple[Sequence[Program], np.ndarray[Any, Any] | None]:
    """Select the programs that interpreters in `span` run, and renumber their assignment."""
    if programs.which is None:
        return programs.each, None
    which = programs.which[span]
    running = which != programs.rests
    used = np.unique(which[running])
    if not len(used):
        return [programs.each[0]], which
    program_of = np.full(len(which), programs.rests, np.uint32)
    program_of[running] = np.searchsorted(used, which[running])
    each = programs.each
    if isinstance(each, ProgramColumns):
        return each.chosen(used.tolist()), program_of
    return [each[i] for i in used.tolist()], program_of


def _each(limit: Any, span: slice) -> Any:
    return Each(limit.values[span]) if isinstance(limit, Each) else limit


def _rows(values: Any, span: slice) -> Any:
    return None if values is None else values[span]


def _memory(share: Share, launch: Launch, n: int) -> dict[str, Any]:
    """Convert the options that name memory to this device's copies."""
    part, shadows = share.part, share.shadows
    found: dict[str, Any] = {}
    if launch.fs is not None:
        size = 0 if launch.fs_shared else launch.fs.nbytes // n
        rows = bytes_of(launch.fs)
        if size:
            rows = rows[part.first * size : (part.first + part.count) * size]
        found["fs"] = shadows.of(rows, launch.fs, writable=True)
    if launch.fs_guard is not None:
        guard = shadows.of(bytes_of(launch.fs_guard), launch.fs_guard, writable=True)
        found["fs_guard"] = guard.view(np.uint64)
    if launch.outbuf is not None:
        found["outbuf"] = shadows.of(bytes_of(launch.outbuf), launch.outbuf, writable=True)
    found["bind"] = {
        name: shadows.of(bytes_of(array), array, writable=True).view(array.dtype)
        for name, array in launch.bind.items()
    }
    return found


def _copies(share: Share, copies: Copies | None) -> Copies | None:
    """Copy a snapshot that is on the host (Several.single) to this device."""
    if copies is None:
        return None
    copy, device = copies.owner, share.part.device
    assert isinstance(copy, SnapshotCopy)
    words = device.array(copy.words)
    return Copies(np.array([address_of(device, words)], np.uint64), copies.flags, words)


def _compiled(share: Share, code: Any) -> Any:
    """Copy compiled code to the device, where interpreters execute it as long as they exist."""
    return None if code is None else share.shadows.of(bytes_of(code), code, writable=False)


def _fetch(share: Share, fetch: Fetch) -> tuple[Fetch, np.ndarray[Any, Any]]:
    """Allocate device memory for the bytes of this device's interpreters.

    Offsets ascend with the interpreters' index (run/values.py), so these bytes are one range of
    the caller's memory.

    Returns:
        The device's Fetch, and that range of the caller's memory.
    """
    device = share.part.device
    offsets = fetch.offsets[share.part.span].copy()
    wanted = offsets != NOTHING
    memory = bytes_of(fetch.memory)
    low = int(offsets[wanted].min()) if wanted.any() else 0
    later = fetch.offsets[share.part.first + share.part.count :]
    later = later[later != NOTHING]
    high = int(later.min()) if len(later) else len(memory)
    if not wanted.any():
        high = low
    offsets[wanted] -= np.uint64(low)
    mine = device.zeros(max(1, high - low), np.uint8)
    return Fetch(mine[: high - low], device.array(offsets)), memory[low:high]


WORD = 8  # bytes of a bound number
GONE = ("REVOKE", "FORGET")
MEMORY = ("MEMORY", "READ_ONLY")


def divided_bindings(share: Share, bindings: Sequence[Binding]) -> list[Binding]:
    """Convert the bindings of all interpreters to those of `share`.

    On a GPU, host memory is replaced by a device copy. The copy of a bound array lasts until the
    array is unbound.
    """
    return [_divided(share, binding) for binding in bindings]


def _divided(share: Share, binding: Binding) -> Binding:
    if binding.kind in GONE:
        return _gone(share, binding)
    part, device = share.part, share.part.device
    data, size = binding.data, _size(binding)
    if binding.stride:
        data, size = data + binding.stride * part.first, binding.stride * part.count
    counts = binding.counts and binding.counts + 4 * part.first
    if not device.on_gpu:
        return attrs.evolve(binding, data=data, counts=counts)
    if binding.kind in MEMORY:
        writable = binding.kind == "MEMORY"
        copy = _of(share, data, size, binding.keep, writable=writable)
        return attrs.evolve(binding, data=copy, keep=(binding.keep, share.shadows))
    keep: list[Any] = [device.array(memory_at(data, size)) if size else None]
    data = device.address(keep[0]) if size else 0
    if counts:
        keep.append(device.array(memory_at(counts, 4 * part.count)))
        counts = device.address(keep[1])
    return attrs.evolve(binding, data=data, counts=counts, keep=(binding.keep, keep))


def _of(share: Share, address: int, size: int, keep: object, *, writable: bool) -> int:
    if not size:
        return 0
    copy = share.shadows.of(memory_at(address, size), keep, writable=writable)
    return share.part.device.address(copy)


def _gone(share: Share, binding: Binding) -> Binding:
    copy = share.shadows.drop(binding.keep)
    if copy is None:
        return binding
    at, size = share.part.device.address(copy), int(copy.size)
    # Revoke it even where another bound array has the same memory, because that one has its own
    # copy.
    return attrs.evolve(binding, kind="REVOKE", data=at, count=size, keep=(binding.keep, copy))


def _size(binding: Binding) -> int:
    """Return the bytes of the value that all share; texts per interpreter have counts instead."""
    if binding.kind in MEMORY:
        return binding.count * np.dtype(binding.typecode).itemsize
    if binding.kind in ("STR", "BYTES"):
        return binding.count
    return 0 if binding.kind == "NONE" else WORD
