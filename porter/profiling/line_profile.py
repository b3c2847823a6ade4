"""The profile that `porter.profile` returns: counts by line, by function and by call path.

`read` sums up the counter buffers of interpreters.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from attrs import define, field, frozen

from porter.base import arguments
from porter.base.files import write_whole
from porter.profiling import page, speedscope
from porter.profiling.counter_buffers import Bytecode, CallNode, CounterBuffer
from porter.profiling.counts import Counts, FunctionCounts, LineCounts, ProfileCounts, StackCounts
from porter.run import Device, Result
from porter.run.launch.counters import WARP


@frozen(eq=False)
class Profile(ProfileCounts):
    """The counts of interpreters by line. A notebook displays it as an HTML page."""

    def html(self) -> str:
        """Return a self-contained HTML page with the sources beside the counts."""
        return page.page(self)

    def speedscope(self) -> str:
        """Return JSON for https://www.speedscope.app."""
        return speedscope.document(self)

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write `html()` to `path`. Raises OSError, WrongType."""
        write_whole(arguments.path(path, "path"), self.html())

    def save_speedscope(self, path: str | os.PathLike[str]) -> None:
        """Write `speedscope()` to `path`. Raises OSError, WrongType."""
        write_whole(arguments.path(path, "path"), self.speedscope())

    def _repr_html_(self) -> str:
        return page.fragment(self)


Function = tuple[str, str, int]
COLUMNS = ("time", "allocations", "bytes", "collections")  # fields of gpusnek_profile_row_t


def counts_of(row: Any) -> Counts:
    """Return the counts of a gpusnek_profile_row_t, which has no instructions."""
    return Counts(0, *(int(row[name]) for name in COLUMNS))


def by_line(node: CallNode) -> Iterator[tuple[int, Counts, int]]:
    """Yield each line with activity: its number, its counts, and its sum of lanes."""
    rows = node.rows
    busy = np.flatnonzero((node.counts > 0) | (rows["time"] > 0) | (rows["allocations"] > 0))
    lines, which = np.unique(node.path[-1].lines[busy], return_inverse=True)
    sums = np.zeros((len(lines), len(COLUMNS) + 2), np.int64)
    np.add.at(sums[:, 0], which, node.counts[busy].astype(np.int64))
    for column, name in enumerate((*COLUMNS, "lanes"), 1):
        np.add.at(sums[:, column], which, rows[name][busy].astype(np.int64))
    for line, (*counts, lanes) in zip(lines.tolist(), sums.tolist(), strict=True):
        yield line, Counts(*counts), lanes


def lanes_at_most(counts: np.ndarray[Any, Any], size: int) -> tuple[float, float]:
    """Return an upper bound of the lanes that execute a line together, and the lanes of a warp.

    A warp executes the line at least as often as the lane that executes it most often.

    Args:
        counts: Instructions of the line that each interpreter executed.
        size: Interpreters per warp; the last warp may have fewer.
    """
    each = [counts[first : first + size] for first in range(0, len(counts), size)]
    passes = sum(int(warp.max()) for warp in each)
    possible = sum(int(warp.max()) * len(warp) for warp in each)
    return (int(counts.sum()) / passes, possible / passes) if passes else (1.0, 1.0)


@define
class _Line:
    each: np.ndarray[Any, Any]  # instructions by interpreter
    functions: dict[str, None] = field(factory=dict)
    counts: Counts = field(factory=Counts)
    lanes: int = 0


@define
class _Function:
    calls: int = 0
    own: Counts = field(factory=Counts)
    total: Counts = field(factory=Counts)


@define
class Reader:
    """Sums up interpreters; `count` is the number of counter buffers."""

    count: int
    lines: dict[tuple[str, int], _Line] = field(factory=dict)
    functions: dict[Function, _Function] = field(factory=dict)
    stacks: dict[tuple[tuple[Function, ...], int], Counts] = field(factory=dict)
    outside: Counts = field(factory=Counts)
    samples: int = 0
    full: int = 0

    def add(self, index: int, buffer: CounterBuffer) -> None:
        """Add the buffer of interpreter `index`."""
        if not buffer.began:
            return
        self.samples += int(buffer.head["samples"])
        self.full += bool(buffer.head["full"])
        self.outside += counts_of(buffer.outside)
        for node in buffer.nodes():
            self._add_node(index, node)

    def _add_node(self, index: int, node: CallNode) -> None:
        path = tuple(code.key for code in node.path)
        code = node.path[-1]
        own = Counts()
        for line, counts, lanes in by_line(node):
            own += counts
            self._add_line(index, code, line, counts, lanes)
            key = path, line
            self.stacks[key] = self.stacks.get(key, Counts()) + counts
        for function in dict.fromkeys(path):
            self.functions.setdefault(function, _Function()).total += own
        self.functions[path[-1]].own += own
        self.functions[path[-1]].calls += node.calls

    def _add_line(self, index: int, code: Bytecode, line: int, counts: Counts, lanes: int) -> None:
        found = self.lines.get((code.file, line))
        if found is None:
            found = self.lines[code.file, line] = _Line(np.zeros(self.count, np.int64))
        found.each[index] += counts.instructions
        found.functions[code.name] = None
        found.counts += counts
        found.lanes += lanes

    def line_counts(self, measured: bool) -> Iterable[LineCounts]:
        """Yield the lines by file and number. measured: lanes were counted, not to be estimated."""
        time = sum(line.counts.time for line in self.lines.values())
        for (file, number), line in sorted(self.lines.items()):
            lanes, whole = lanes_at_most(line.each, WARP)
            if measured and line.counts.instructions:
                lanes = line.lanes / line.counts.instructions
            share = line.counts.time / time if time else None
            yield LineCounts(file, number, tuple(line.functions), line.counts, share, lanes, whole)

    def function_counts(self) -> list[FunctionCounts]:
        """Return the functions, the one with most time first."""
        functions = [
            FunctionCounts(*key, each.calls, each.own, each.total)
            for key, each in self.functions.items()
        ]
        functions.sort(key=lambda each: (-each.total.time, -each.total.instructions))
        return functions


def read(device: Device, result: Result, n: int) -> Profile:
    """Return the profile, without sources, of a launch of `n` interpreters."""
    assert result.counted is not None
    buffers = result.counted.host(device)
    reader = Reader(len(buffers))
    for index, row in enumerate(buffers):
        reader.add(index, CounterBuffer(device.built, row))
    return Profile(
        tuple(reader.line_counts(device.on_gpu)),
        tuple(reader.function_counts()),
        tuple(StackCounts(*key, counts) for key, counts in reader.stacks.items()),
        reader.outside,
        n,
        len(buffers),
        device.name,
        "ticks" if device.on_gpu else "ns",
        reader.samples,
        reader.full,
        result=result,
    )
