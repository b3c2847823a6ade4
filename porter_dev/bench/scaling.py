"""Measure how time grows with the number of interpreters and with the size of their heaps.

The results become a table and JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs
from attrs import asdict, frozen
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from porter.base.sizes import format_size
from porter.errors import BenchFailed, NotEnoughMemory
from porter_dev.bench import measurement
from porter_dev.bench.bench_report import milliseconds
from porter_dev.bench.catalogue import Benchmark
from porter_dev.bench.measurement import Phases, Setting, Whole

COUNTS = {"cuda": [1 << k for k in range(10, 22)], "host": [1 << k for k in range(2, 11)]}
HEAPS = [size << 10 for size in (6, 8, 12, 16, 24, 32, 48, 64, 96, 128)]


@frozen
class Point:
    """The timings of one benchmark with `n` interpreters and a heap of `heap` bytes each."""

    n: int
    heap: int
    whole: Whole
    phases: Phases


@frozen
class Scaling:
    """The points of one benchmark by rising number of interpreters and by rising heap.

    Attributes:
        benchmark: Program that was timed.
        by_count: Points by rising number of interpreters.
        by_heap: Points by rising heap.
        left_out: A line for each size that did not fit into memory, with the reason.
    """

    benchmark: Benchmark
    by_count: list[Point]
    by_heap: list[Point]
    left_out: list[str]


def scaling(
    setting: Setting, benchmark: Benchmark, doing: Callable[[str], None] = lambda _: None
) -> Scaling:
    """Measure `benchmark` with the counts of COUNTS, then with the heaps of HEAPS.

    Args:
        setting: Device and options. The heap series runs `setting.n` interpreters.
        benchmark: Program to time.
        doing: Called with a progress message before each measurement.

    Raises:
        BenchFailed: A result is wrong.
    """
    left_out: list[str] = []

    def points(settings: Iterable[Setting]) -> list[Point]:
        found = []
        for one in settings:
            heap = one.footprint.heap
            doing(f"{benchmark.name}: {one.n} interpreters, heap {heap}")
            try:
                whole, phases = (
                    measurement.whole(one, benchmark),
                    measurement.phases(one, benchmark),
                )
            except (NotEnoughMemory, BenchFailed) as error:
                # A small heap may end in MemoryError, which is no wrong result.
                if isinstance(error, BenchFailed) and "MemoryError" not in error.message:
                    raise
                left_out.append(f"{one.n} interpreters, heap {heap}: {error.message}")
                continue
            found.append(Point(one.n, heap, whole, phases))
        return found

    by_count = points(attrs.evolve(setting, n=n) for n in COUNTS[setting.device.name])
    launches = (attrs.evolve(setting.launch, heap=heap) for heap in HEAPS)
    by_heap = points(attrs.evolve(setting, launch=launch) for launch in launches)
    return Scaling(benchmark, by_count, by_heap, left_out)


def to_json(scaling: Scaling, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return all points as JSON; times in seconds, sizes in bytes."""
    return {
        "about": dict(about),
        "program": scaling.benchmark.name,
        "by_count": [asdict(point) for point in scaling.by_count],
        "by_heap": [asdict(point) for point in scaling.by_heap],
        "left_out": scaling.left_out,
    }


def show(scaling: Scaling, about: Mapping[str, Any], console: Console) -> None:
    """Print a table with a row for each point."""
    title = f"{scaling.benchmark.title}, {about['device']}, release {about['release']}"
    console.print(title, style="bold", highlight=False)
    table = Table(box=SIMPLE, pad_edge=False)
    for name in ("interpreters", "heap", "launch ms", "start", "compile", "execute", "empty"):
        table.add_column(name, justify="right", no_wrap=True)
    for points in (scaling.by_count, scaling.by_heap):
        for point in points:
            phases = point.phases
            figures = (point.whole.launch, phases.start, phases.compile, phases.execute)
            times = (milliseconds(figure.median) for figure in (*figures, phases.empty))
            table.add_row(str(point.n), format_size(point.heap), *times)
        table.add_section()
    console.print(table)
    for line in scaling.left_out:
        console.print(f"left out: {line}", style="dim", soft_wrap=True, highlight=False)
