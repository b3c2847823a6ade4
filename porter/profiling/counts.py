"""The results of a profile: counts by line, by function and by call path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import field, frozen

from porter.run import Result

FEW_SAMPLES = 100  # with fewer samples, shares of time are not significant


@frozen
class Counts:
    """Sums over all interpreters that counted.

    Attributes:
        instructions: Bytecode instructions executed.
        time: Time in the profile's `time_unit`.
        allocations: Blocks allocated from the heap.
        bytes: Total size of these blocks.
        collections: Garbage collections that began here.
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
    """The counts of one line of a source.

    Attributes:
        file: Source file.
        line: Line number.
        functions: Functions that the line belongs to.
        counts: Counts of the line.
        share: Share of the time of all lines; None if no time was measured.
        lanes: Number of a warp's interpreters that execute the line together: measured on a GPU,
            an upper bound on the host twin (docs/how-to/profile.md).
        whole: Number of a warp's interpreters.
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
        """Return whether less than half of the lanes are active here while the others wait."""
        return self.lanes < self.whole / 2


@frozen
class FunctionCounts:
    """The counts of one function.

    Attributes:
        file: Source file.
        name: Name of the function.
        line: Its first line with code.
        calls: Number of calls; resumptions of a generator count as calls.
        own: Counts of its own lines.
        total: Counts including the functions that it called.
    """

    file: str
    name: str
    line: int
    calls: int
    own: Counts
    total: Counts


@frozen
class StackCounts:
    """The counts of one line for one call path.

    Attributes:
        functions: Functions of the path, outermost first, each as (file, name, first line).
        line: Line number.
        counts: Counts of the line.
    """

    functions: tuple[tuple[str, str, int], ...]
    line: int
    counts: Counts


@frozen(eq=False)
class ProfileCounts:
    """The counts of a launch.

    Attributes:
        lines: By file and number.
        functions: By total time, the longest first.
        stacks: By call path and line.
        outside: Counts while no line ran, that is while interpreters started and compiled.
        n: Number of interpreters.
        counted: Number of interpreters that counted.
        target: Target of the launch.
        time_unit: `ns` of processor time (host twin) or `ticks` (GPU).
        samples: Samples that the time is based on; 0 if each instruction was timed.
        full: Number of interpreters whose counter buffer was too small.
        sources: Text of each file, as far as known.
        result: Result of the launch, with the programs' output.
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
        """Sum of all lines."""
        return sum((line.counts for line in self.lines), Counts())

    @property
    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """The lines as arrays by name, as `pandas.DataFrame` accepts them."""
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
        """Return whether enough time was measured to rank lines by it."""
        return self.time_unit == "ticks" or self.samples >= FEW_SAMPLES

    def hottest(self, top: int | None = None) -> list[LineCounts]:
        """Return the lines with most time; if not `timed`, with most instructions."""

        def rank(line: LineCounts) -> tuple[int, int]:
            time, instructions = line.counts.time, line.counts.instructions
            return (time, instructions) if self.timed else (instructions, time)

        return sorted(self.lines, key=rank, reverse=True)[:top]

    @cached_property
    def source_lines(self) -> Mapping[str, Sequence[str]]:
        """The lines of each known source."""
        return {name: _lines(text) for name, text in self.sources.items()}

    def source_line(self, file: str, line: int) -> str:
        """Return the text of a line; "" if the source is not known."""
        rows = self.source_lines.get(file, ())
        return rows[line - 1] if 0 < line <= len(rows) else ""


def _lines(text: str) -> list[str]:
    """Split lines as interpreters do; str.splitlines would also split at form feeds."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]
