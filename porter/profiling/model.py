"""What a profile says: counts of lines, of functions, and of the ways functions were called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import field, frozen

from porter.run import Result

FEW_SAMPLES = 100  # below so many the sampler's shares are chance


@frozen
class Counts:
    """Sums over all interpreters that counted.

    instructions: of bytecode, executed. time: in a profile's `time_unit`. allocations: blocks that
    the heap was asked for, of `bytes` in all. collections: of garbage, that began here.
    """

    instructions: int = 0
    time: int = 0
    allocations: int = 0
    bytes: int = 0
    collections: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.instructions + other.instructions,
            self.time + other.time,
            self.allocations + other.allocations,
            self.bytes + other.bytes,
            self.collections + other.collections,
        )


@frozen
class LineCounts:
    """One line of a source.

    share: of the time that all lines took; None where no time was measured. lanes: how many of
    `whole` interpreters of a warp execute the line together: measured on a GPU, and at most so
    many on the host twin (docs/profile.md).
    """

    file: str
    line: int
    functions: tuple[str, ...]
    counts: Counts
    share: float | None
    lanes: float
    whole: float

    @property
    def diverges(self) -> bool:
        """Whether less than half of the lanes work here while the others wait."""
        return self.lanes < self.whole / 2


@frozen
class FunctionCounts:
    """One function. line: its first one with code. calls: a generator's resumptions too.

    own: of its own lines. total: with all that it called.
    """

    file: str
    name: str
    line: int
    calls: int
    own: Counts
    total: Counts


@frozen
class StackCounts:
    """One line, reached through these functions, outermost first: (file, name, first line)."""

    functions: tuple[tuple[str, str, int], ...]
    line: int
    counts: Counts


@frozen(eq=False)
class ProfileCounts:
    """What `counted` of `n` interpreters did.

    lines: by file and number. functions: by total time, the longest first. outside: while no line
    ran: starting and compiling. time_unit: `ns` of processor time (host twin) or `ticks` (GPU).
    samples: that this time was found by; 0 where each instruction was timed. full: how many
    interpreters had more to count than room. sources: the text of each file that is known.
    result: the launch's, with what programs printed.
    """

    lines: Sequence[LineCounts] = field(repr=False)
    functions: Sequence[FunctionCounts] = field(repr=False)
    stacks: Sequence[StackCounts] = field(repr=False)
    outside: Counts
    n: int
    counted: int
    target: str
    time_unit: str
    samples: int = 0
    full: int = 0
    sources: Mapping[str, str] = field(factory=dict, repr=False)
    result: Result | None = field(default=None, repr=False)

    @property
    def total(self) -> Counts:
        """Of all lines."""
        return sum((line.counts for line in self.lines), Counts())

    @property
    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """The lines as arrays by name, as `pandas.DataFrame` takes them."""
        counts = [line.counts for line in self.lines]
        return {
            "file": np.array([line.file for line in self.lines], object),
            "line": np.array([line.line for line in self.lines], np.int64),
            "instructions": np.array([each.instructions for each in counts], np.int64),
            "time": np.array([each.time for each in counts], np.int64),
            "share": np.array([line.share for line in self.lines], np.float64),
            "lanes": np.array([line.lanes for line in self.lines], np.float64),
            "allocations": np.array([each.allocations for each in counts], np.int64),
            "bytes": np.array([each.bytes for each in counts], np.int64),
            "collections": np.array([each.collections for each in counts], np.int64),
        }

    @property
    def timed(self) -> bool:
        """Whether there was time enough measured to rank lines by it."""
        return self.time_unit == "ticks" or self.samples >= FEW_SAMPLES

    def hottest(self, top: int | None = None) -> list[LineCounts]:
        """The lines that took most time, or most instructions where not `timed`."""

        def rank(line: LineCounts) -> tuple[int, int]:
            time, instructions = line.counts.time, line.counts.instructions
            return (time, instructions) if self.timed else (instructions, time)

        return sorted(self.lines, key=rank, reverse=True)[:top]

    @cached_property
    def source_lines(self) -> Mapping[str, Sequence[str]]:
        """The lines of each source that is known."""
        return {name: _lines(text) for name, text in self.sources.items()}

    def source_line(self, file: str, line: int) -> str:
        """The text of a line, empty where the source is not known."""
        rows = self.source_lines.get(file, ())
        return rows[line - 1] if 0 < line <= len(rows) else ""


def _lines(text: str) -> list[str]:
    """The lines as interpreters count them: str.splitlines ends lines at form feeds too."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]
