"""Machine code of one piece of bytecode, and what a launch of an array needs of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import field, frozen

from porter.compiler.options import GuardPlace
from porter.native.report import NativeFunction
from porter.run import Device
from porter.run.device.base import Array
from porter.run.launch.natives import Native

Entries = np.ndarray[tuple[int], np.dtype[np.uint16]]
MOST_ENTRIES = 2**16 - 1  # gpusnek_native_t numbers them with uint16_t


def entry_table(entries: Iterable[tuple[int, int]], size: int) -> Entries:
    """`NativeModule.entries` of `size` bytes of bytecode, without numbers over MOST_ENTRIES.

    entries: as CompiledModule has them.
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
    """Machine code of the bytecode of one source.

    lines: of the source. text: the C++ that it is made of; path: where that is kept, None where it
    could not be. functions: all of the source. guards: at which machine code may give up. entries:
    of each byte of the bytecode the number of the entry there, 0 for none (uint16); empty where
    nothing was worth machine code. run: as Native has it. cached: it was made before. seconds: by
    step. keep: what owns the machine code. without: places at which it guesses nothing. again: how
    often it was made again without some guesses.
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
        """Whether something of it was worth machine code."""
        return self.entries.size > 0

    def on(self, device: Device, memory: Array) -> Native:
        """For launches of an array on `device`, where the bytecode is in `memory`."""
        return Native(memory, device.array(self.entries), self.run, keep=self.keep)

    def line(self, number: int) -> str:
        """A line of the source for people."""
        return self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""

    def exits(self) -> int:
        """How many counters of guards a launch needs."""
        return max((guard.number + 1 for guard in self.guards), default=0)
