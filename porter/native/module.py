"""Native code of one source's bytecode, as compilation.py loads it and launches use it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import field, frozen

from porter.compiler.options import GuardPlace
from porter.native.report import NativeFunction
from porter.run import Device
from porter.run.device.base import Array
from porter.run.launch.native_code import Native

Entries = np.ndarray[tuple[int], np.dtype[np.uint16]]
MOST_ENTRIES = 2**16 - 1  # gpusnek_native_t has entry numbers of type uint16_t


def entry_table(entries: Iterable[tuple[int, int]], size: int) -> Entries:
    """Return `NativeModule.entries`, without entries whose number exceeds MOST_ENTRIES.

    Args:
        entries: Pairs of position and number, as in `CompiledModule.entries`.
        size: Bytes of the bytecode.
    """
    table = np.zeros(size, np.uint16)
    for at, number in entries:
        if number <= MOST_ENTRIES:
            table[at] = number
    return table


def _none() -> Entries:
    return entry_table((), 0)


@frozen(eq=False)
class NativeModule:
    """Native code of the bytecode of one source.

    Attributes:
        name: Name of the source.
        lines: Lines of the source.
        functions: All functions of the source, including those that stay bytecode.
        guards: Guards of the native code.
        text: C++ that the native code was compiled from.
        path: File of the C++ in the cache; None if the cache could not be written.
        entries: Number of the entry at each byte of the bytecode, 0 for none (uint16[size of the
            bytecode]). Empty if no function was profitable.
        run: As `Native.run`.
        cached: Whether the native code came from the cache.
        seconds: Seconds of each step.
        keep: Owner of the loaded native code.
        without: Positions at which the native code does not speculate (`GuardPlace.place`).
        again: Number of recompilations after failed speculation.
    """

    name: str
    lines: Sequence[str] = field(repr=False)
    functions: tuple[NativeFunction, ...]
    guards: tuple[GuardPlace, ...] = field(default=(), repr=False)
    text: str = field(default="", repr=False)
    path: Path | None = None
    entries: Entries = field(factory=_none, repr=False)
    run: int = field(default=0, repr=False)
    cached: bool = False
    seconds: Mapping[str, float] = field(factory=dict)
    keep: object = field(default=None, repr=False)
    without: frozenset[int] = field(default=frozenset(), repr=False)
    again: int = field(default=0, repr=False)

    @property
    def runs(self) -> bool:
        """Whether any function has native code."""
        return self.entries.size > 0

    def on(self, device: Device, memory: Array) -> Native:
        """Return the native code for launches on `device`, whose bytecode is in `memory`."""
        return Native(memory, device.array(self.entries), self.run, keep=self.keep)

    def line(self, number: int) -> str:
        """Return a line of the source by its number from 1, for reports."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""

    def exits(self) -> int:
        """Return the number of guard counters that a launch needs."""
        return max((guard.number + 1 for guard in self.guards), default=0)
