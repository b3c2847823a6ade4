"""Shared code: compile programs on the host, once per process, for interpreters that load it.

A lane of a GPU that compiles shares no instructions with its neighbours. The host twin compiles a
program several times as fast, on all cores. Loading the result (templates/port/code.c) takes a
sixth of the time of compiling on the host twin, and neighbours load alike. Interpreters of all
devices load it, so the state of their heaps does not depend on the device.

A program that does not compile has no shared code. Its interpreters compile the source themselves,
and report the error.
"""

from __future__ import annotations

from collections import ChainMap, OrderedDict
from collections.abc import Hashable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from attrs import define, evolve, field

from porter.base.sizes import MIB
from porter.run.device.base import Device
from porter.run.launch.options import Cancel, Fetch, Launch, Phase, Program, Sizes
from porter.run.launch.order import independent_block
from porter.run.launch.plan import LaunchRequest, footprint
from porter.run.launch.single import start_on_device

# Steps that compiling a program may take. The same limit holds for every caller, so whether a
# program has shared code depends on its source and on the sizes alone.
COMPILE_STEPS = 1 << 24
AT_ONCE = 1 << 14  # programs of one launch
# Bytes for the shared code of a program beyond twice its source. Longer code is fetched by a second
# launch.
ROOM = 512
KEPT_BYTES = 64 * MIB  # of each of the two generations of a cache
ENTRY = 256  # bytes of an entry of a cache besides its source and code
MOST_CACHES = 8
GRAIN = 8  # bytes


@define(eq=False)
class _Cache:
    """Shared code by source, for one build and one set of sizes; None: it does not compile.

    Two generations bound its memory: when the newer one is full, it replaces the older one.
    """

    newer: dict[bytes, bytes | None] = field(factory=dict, repr=False)
    older: dict[bytes, bytes | None] = field(factory=dict, repr=False)
    size: int = 0  # bytes of the newer generation
    lock: Lock = field(factory=Lock, repr=False)  # held while threads of several devices compile

    def missing(self, sources: Sequence[bytes]) -> list[bytes]:
        """Return the distinct sources that are not in the cache."""
        newer, older = self.newer, self.older  # a set of all keys would take longer than a launch
        return [one for one in dict.fromkeys(sources) if one not in newer and one not in older]

    def find(
        self, sources: Sequence[bytes], new: Sequence[bytes], codes: Sequence[bytes | None]
    ) -> list[bytes]:
        """Return the code of each source; b"" where it does not compile.

        Args:
            sources: Sources that are in `new` or in the cache.
            new: Distinct sources that are not in the cache, in the order of `sources`.
            codes: Their codes.
        """
        if len(new) == len(sources):  # `new` is `sources`
            return [code or b"" for code in codes]
        known = ChainMap(dict(zip(new, codes, strict=True)), self.newer, self.older)
        return [known[source] or b"" for source in sources]

    def keep(self, sources: Sequence[bytes], codes: Sequence[bytes | None]) -> None:
        """Add the codes of sources."""
        if self.size > KEPT_BYTES:
            self.older, self.newer, self.size = self.newer, {}, 0
        self.newer.update(zip(sources, codes, strict=True))
        texts = sum(map(len, sources)) + sum(map(len, filter(None, codes)))
        self.size += texts + ENTRY * len(codes)


@define(eq=False)
class _Caches:
    """The most recently used caches."""

    by_key: OrderedDict[Hashable, _Cache] = field(factory=OrderedDict)
    lock: Lock = field(factory=Lock)

    def of(self, key: Hashable) -> _Cache:
        """Return the cache for `key`; make it, and drop the least recently used one, if needed."""
        with self.lock:
            cache = self.by_key.setdefault(key, _Cache())
            self.by_key.move_to_end(key)
            if len(self.by_key) > MOST_CACHES:
                self.by_key.popitem(last=False)
            return cache


_caches = _Caches()


def with_shared_code(
    device: Device,
    sources: Sequence[bytes],
    name: str,
    sizes: Sizes,
    cancel: Cancel | None = None,
) -> Sequence[Program]:
    """Make programs with shared code.

    Args:
        device: The device that will run the programs. Its `compiler` compiles them.
        sources: The sources, in UTF-8.
        name: The name that tracebacks show, of all programs.
        sizes: The sizes of the interpreters that will run them. Compiling uses the same.
        cancel: Ends the compilation early; programs that are not compiled yet have no shared code.

    Returns:
        The programs, in the order of the sources.

    Raises:
        NotEnoughMemory: The interpreters that compile do not fit.
        LaunchFailed: The device failed.
        LaunchInterrupted: Ctrl-C came.
    """
    need = footprint(device, sizes)
    key = (device.built.identity, name, need.heap, need.pystack, need.stack)
    cache = _caches.of(key)
    launch = Launch(
        heap=need.heap,
        pystack=need.pystack,
        stack=need.stack,
        stdout=0,
        stderr=0,
        max_steps=COMPILE_STEPS,
        order=True,
        fork=False,
        cancel=cancel,
    )
    given = Program.many(sources, name)
    codes: list[bytes | None] = []
    interrupted = False
    with cache.lock:
        missing = cache.missing(sources)
        for first in range(0, len(missing), AT_ONCE):
            part = missing[first : first + AT_ONCE]
            block = independent_block(device.compiler, len(part))
            found, ended_early = _compile(device.compiler, part, name, evolve(launch, block=block))
            codes += found
            interrupted |= ended_early
        result = given.with_codes(cache.find(sources, missing, codes))
        if not interrupted:
            cache.keep(missing, codes)
    if len(missing) == len(sources) and given.sources is sources:  # without BOMs
        result.are_distinct()
    return result


def _compile(
    device: Device, sources: Sequence[bytes], name: str, launch: Launch
) -> tuple[list[bytes | None], bool]:
    """Compile each source in an interpreter of its own.

    Returns:
        The code of each source, None where it does not compile; and whether the launch was
        interrupted.
    """
    lengths = np.fromiter(map(len, sources), np.int64, len(sources))
    rooms = np.maximum(ROOM + 2 * lengths, GRAIN)
    codes, sizes, interrupted = _launch(device, sources, name, launch, rooms)
    longer = np.array([i for i in np.flatnonzero(sizes).tolist() if codes[i] is None], np.intp)
    if len(longer) and not interrupted:
        again = [sources[i] for i in longer.tolist()]
        others, _, interrupted = _launch(device, again, name, launch, sizes[longer])
        for i, code in zip(longer.tolist(), others, strict=True):
            codes[i] = code
    return codes, interrupted


def _launch(
    device: Device,
    sources: Sequence[bytes],
    name: str,
    launch: Launch,
    rooms: np.ndarray[Any, Any],
) -> tuple[list[bytes | None], np.ndarray[Any, Any], bool]:
    """Compile each source, and fetch the codes that are not longer than `rooms` bytes.

    Returns:
        The code of each program, None where the launch fetched none; its size in bytes, 0 for a
        program that does not compile (int64); and whether the launch was interrupted.
    """
    n = len(sources)
    rooms = -(-rooms // GRAIN) * GRAIN
    ends = np.cumsum(rooms)
    starts = ends - rooms
    memory = device.zeros(int(ends[-1]), np.uint8)
    fetch = Fetch(
        memory, device.array(starts.astype(np.uint64)), device.array(rooms.astype(np.uint64))
    )
    phase = Phase(stop=False, compiling=True, values=True, fetch=fetch)
    which = np.arange(n, dtype=np.uint32)
    request = LaunchRequest(Program.many(sources, name), n, launch, phase, which)
    result = start_on_device(device, request).wait()
    if result.refused is not None:
        raise result.refused
    assert result.values is not None
    compiled = (result.status == device.built.status["OK"]) & (
        device.host(result.values.kind) == device.built.value["BYTES"]
    )
    sizes = np.where(compiled, device.host(result.values.bits), 0).astype(np.int64)
    there = np.where((sizes > 0) & (sizes <= rooms), sizes, 0)
    data = device.host(memory).data
    codes = [
        bytes(data[start:end]) if end > start else None
        for start, end in zip(starts.tolist(), (starts + there).tolist(), strict=True)
    ]
    return codes, sizes, result.interrupted
