"""Of a launch on several devices, the part of one of them."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from attrs import frozen

from porter.run.device.base import Device, Shared
from porter.run.device.images import address_of
from porter.run.device.several import Share
from porter.run.device.shadows import bytes_of
from porter.run.launch.checking import Texts
from porter.run.launch.limits import Each
from porter.run.launch.programs import Programs
from porter.run.launch.several.bindings import divided_bindings
from porter.run.launch.spec import Copies, Fetch, Launch, Phase, Program
from porter.run.streams.feed import Feed

NOTHING = np.uint64(2**64 - 1)  # launch.h: not this interpreter's


class SharedFeed(Feed):
    """A feed that several launches read: what a caller's feed is attached to already."""

    def __init__(self, feed: Feed, memory: Shared) -> None:
        super().__init__(feed.room)
        self._memory = memory

    def attach(self, device: Device) -> Shared:
        """The caller's memory, which GPUs see at one address."""
        return self._memory

    def close(self) -> None:
        """Nothing: the caller's feed is closed once all have ended."""


@frozen(eq=False)
class Division:
    """What one device runs. copied: the part of fetched bytes that comes back, and where to."""

    programs: list[Program]
    launch: Launch
    phase: Phase
    program_of: np.ndarray[Any, Any] | None
    fetched: tuple[Fetch, np.ndarray[Any, Any]] | None = None

    def finish(self, device: Device) -> None:
        """After the launch: bytes that it fetched go where the caller wants them."""
        if self.fetched is not None:
            fetch, to = self.fetched
            to[...] = bytes_of(device.host(fetch.memory))


def divide(
    share: Share, programs: Programs, launch: Launch, phase: Phase, stdin: bytes | Texts | Feed
) -> Division:
    """The part of `share`. launch, phase: those of all `programs.n` interpreters.

    stdin: what all read, where it comes from a Feed the attached one.
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


def _programs(programs: Programs, span: slice) -> tuple[list[Program], np.ndarray[Any, Any] | None]:
    """Those that interpreters in `span` run, and who runs which of them."""
    if programs.which is None:
        return list(programs.each), None
    which = programs.which[span]
    running = which != programs.rests
    used = np.unique(which[running])
    if not len(used):
        return [programs.each[0]], which
    program_of = np.full(len(which), programs.rests, np.uint32)
    program_of[running] = np.searchsorted(used, which[running])
    return [programs.each[i] for i in used.tolist()], program_of


def _each(limit: Any, span: slice) -> Any:
    return Each(limit.values[span]) if isinstance(limit, Each) else limit


def _rows(values: Any, span: slice) -> Any:
    return None if values is None else values[span]


def _memory(share: Share, launch: Launch, n: int) -> dict[str, Any]:
    """The options that name memory, as this device has it."""
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
    """Of an image that was taken to the host (Several.single), this device's copy."""
    if copies is None:
        return None
    alone: Any = copies.keep
    device = share.part.device
    image = device.array(alone.keep)
    return Copies(np.array([address_of(device, image)], np.uint64), copies.flags, image)


def _compiled(share: Share, code: Any) -> Any:
    """Compiled code, which interpreters execute where it is as long as they live."""
    return None if code is None else share.shadows.of(bytes_of(code), code, writable=False)


def _fetch(share: Share, fetch: Fetch) -> tuple[Fetch, np.ndarray[Any, Any]]:
    """Memory of this device's own for what its interpreters announced, and where it goes then.

    Of two interpreters, the later one's bytes stand behind the earlier one's (array/fetch.py).
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
