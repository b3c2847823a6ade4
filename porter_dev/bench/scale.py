"""Measure how time grows with the number of interpreters and with the size of their heaps."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import attrs
from attrs import frozen

from porter.errors import BenchFailed, NotEnoughMemory
from porter_dev.bench import measure
from porter_dev.bench.catalogue import Benchmark
from porter_dev.bench.measure import Phases, Setting, Whole

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
                whole, phases = measure.whole(one, benchmark), measure.phases(one, benchmark)
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
