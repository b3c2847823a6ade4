"""Time the suite on one device and on its references; called by `porter bench`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from attrs import field, frozen

from porter_dev.bench import measure, native, scripts
from porter_dev.bench.catalogue import Benchmark
from porter_dev.bench.figures import Figure
from porter_dev.bench.scripts import Python, Reference

C, CPYTHON, ALL_CORES = "c", "cpython", "cpython-all"
UPSTREAM, UPSTREAM_ALL = "micropython", "micropython-all"
PYTHONS = (CPYTHON, ALL_CORES, UPSTREAM, UPSTREAM_ALL)


@frozen
class TimedBenchmark:
    """The timings of one program, on the device and on the references.

    Attributes:
        benchmark: Program.
        whole: A single launch with all phases, as `porter run` makes it.
        unforked: The same, where each interpreter boots and compiles itself.
        phases: A launch for each phase.
        equal: The execute phase where all lanes of a warp have equal data; None where impossible.
        references: The references' seconds for the same work, by name.
        lanes: Mean active lanes of a warp's 32 per instruction; None if not measured.
    """

    benchmark: Benchmark
    whole: measure.Whole
    unforked: measure.Whole
    phases: measure.Phases
    equal: Figure | None
    references: dict[str, Reference]
    lanes: float | None = None

    @property
    def own_over_equal(self) -> float | None:
        """The execute phase's slowdown because the lanes' data differ."""
        return None if self.equal is None else self.phases.execute.median / self.equal.median

    def ratio(self, name: str) -> float | None:
        """Return the reference's seconds over those of the execute phase; None without one."""
        reference = self.references.get(name)
        if reference is None:
            return None
        return reference.figure.median / self.phases.execute.median


@frozen
class BenchSuite:
    """A measurement's setting and the references to compare with."""

    setting: measure.Setting
    upstream: Python | None = None
    cpython: Python | None = field(factory=scripts.cpython)
    native: bool = True
    cores: int = field(factory=lambda: len(os.sched_getaffinity(0)))
    lanes: Mapping[str, float] = field(factory=dict)

    @property
    def pythons(self) -> list[tuple[str, Python, int]]:
        """References that run Python: name, interpreter, number of processes."""
        given = [
            *((CPYTHON, self.cpython, 1), (ALL_CORES, self.cpython, self.cores)),
            *((UPSTREAM, self.upstream, 1), (UPSTREAM_ALL, self.upstream, self.cores)),
        ]
        return [(name, python, cores) for name, python, cores in given if python is not None]

    def run(
        self, benchmarks: Sequence[Benchmark], doing: Callable[[str], None] = lambda _: None
    ) -> list[TimedBenchmark]:
        """Time each of `benchmarks`. Raises BenchFailed at the first wrong result."""
        return [self._row(benchmark, doing) for benchmark in benchmarks]

    def _row(self, benchmark: Benchmark, doing: Callable[[str], None]) -> TimedBenchmark:
        setting = self.setting
        doing(f"{benchmark.name}: {setting.n} interpreters")
        whole = measure.whole(setting, benchmark)
        unforked = measure.whole(setting, benchmark, fork=False)
        phases = measure.phases(setting, benchmark)
        equal = measure.equal_data(setting, benchmark)
        doing(f"{benchmark.name}: references")
        references = self._references(benchmark)
        lanes = self.lanes.get(benchmark.name)
        return TimedBenchmark(benchmark, whole, unforked, phases, equal, references, lanes)

    def _references(self, benchmark: Benchmark) -> dict[str, Reference]:
        n, repeat = self.setting.n, self.setting.repeat
        found = {}
        if self.native and benchmark.kernel is not None:
            figure: Figure = native.measure(self.setting.device, benchmark, n, repeat)
            found[C] = Reference(figure, n)
        for name, python, cores in self.pythons:
            found[name] = scripts.measure(python, benchmark, n, repeat, cores)
        return found
