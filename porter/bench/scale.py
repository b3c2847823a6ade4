"""How cost grows with the number of interpreters, and with the size of their heaps."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import attrs
from attrs import frozen

from porter.bench import measure
from porter.bench.catalogue import Benchmark
from porter.bench.measure import Phases, Setting, Whole
from porter.errors import BenchFailed, NotEnoughMemory

COUNTS = {"cuda": [1 << k for k in range(10, 22)], "host": [1 << k for k in range(2, 11)]}
HEAPS = [size << 10 for size in (6, 8, 12, 16, 24, 32, 48, 64, 96, 128)]


@frozen
class Point:
    """One benchmark at one size. heap: bytes."""

    n: int
    heap: int
    whole: Whole
    phases: Phases


@frozen
class Scaling:
    """Points by rising number and by rising heap; left_out: what did not fit, and why."""

    benchmark: Benchmark
    by_count: list[Point]
    by_heap: list[Point]
    left_out: list[str]


def scaling(
    setting: Setting, benchmark: Benchmark, doing: Callable[[str], None] = lambda _: None
) -> Scaling:
    """Measure `benchmark` with the counts of COUNTS, then with the heaps of HEAPS.

    The heaps hold for `setting.n` interpreters. Raises BenchFailed for a wrong result.
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
                # Small heaps end in MemoryError; a wrong answer must not pass for that.
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
