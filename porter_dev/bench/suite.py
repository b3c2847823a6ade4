"""Time the suite on one device and on its references; called by `porter bench`.

The conditions of a measurement and the available references are part of its results.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from porter.base import arguments
from porter.errors import PorterError
from porter.run import Device
from porter.run.launch.options import SIZES
from porter_dev.bench import c_references, cpu_references, measurement
from porter_dev.bench.catalogue import Benchmark
from porter_dev.bench.cpu_references import Python, Reference
from porter_dev.bench.measurement import Figure, Setting
from porter_dev.bench.upstream_unix import unix_port

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
    whole: measurement.Whole
    unforked: measurement.Whole
    phases: measurement.Phases
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

    setting: measurement.Setting
    upstream: Python | None = None
    cpython: Python | None = field(factory=cpu_references.cpython)
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
        whole = measurement.whole(setting, benchmark)
        unforked = measurement.whole(setting, benchmark, fork=False)
        phases = measurement.phases(setting, benchmark)
        equal = measurement.equal_data(setting, benchmark)
        doing(f"{benchmark.name}: references")
        references = self._references(benchmark)
        lanes = self.lanes.get(benchmark.name)
        return TimedBenchmark(benchmark, whole, unforked, phases, equal, references, lanes)

    def _references(self, benchmark: Benchmark) -> dict[str, Reference]:
        n, repeat = self.setting.n, self.setting.repeat
        found = {}
        if self.native and benchmark.kernel is not None:
            figure: Figure = c_references.measure(self.setting.device, benchmark, n, repeat)
            found[C] = Reference(figure, n)
        for name, python, cores in self.pythons:
            found[name] = cpu_references.measure(python, benchmark, n, repeat, cores)
        return found


def with_references(
    setting: Setting, executable: arguments.StrPath | None
) -> tuple[BenchSuite, dict[str, str]]:
    """Return the suite with all available references, and a description of each reference.

    The description of a reference that is not available says why.

    Args:
        setting: Device, counts and sizes of the measurement.
        executable: Upstream's unix port; None to build it.

    Raises:
        UsageError: `executable` is not upstream's unix port.
    """
    executable = None if executable is None else arguments.path(executable, "executable")
    about = cpu_references.cpython().about
    found = {
        C: c_references.ABOUT[setting.device.name],
        CPYTHON: f"{about}, one core",
        ALL_CORES: f"{about}, all cores",
    }
    upstream = None
    try:
        upstream = unix_port(setting.device.built.manifest["release"], executable)
        found[UPSTREAM] = f"{upstream.about}, one core"
        found[UPSTREAM_ALL] = f"{upstream.about}, all cores"
    except PorterError as error:
        if executable is not None:
            raise
        found[UPSTREAM] = f"not measured: {error.message.splitlines()[0]}"
    return BenchSuite(setting, upstream), found


def fitting(benchmarks: Sequence[Benchmark], device: Device) -> tuple[list[Benchmark], list[str]]:
    """Split programs by whether their output is right at the build's float width.

    Returns:
        The programs that the build can run, and the names of the programs left out because they
        need double precision.
    """
    if device.built.config["float"] == "double":
        return list(benchmarks), []
    left_out = [benchmark.name for benchmark in benchmarks if benchmark.double]
    return [benchmark for benchmark in benchmarks if not benchmark.double], left_out


def conditions(setting: Setting, cores: int) -> dict[str, Any]:
    """Return the conditions for the report: counts, machine, release, configuration."""
    built = setting.device.built
    need = setting.footprint
    given = {name: getattr(need, name) for name in SIZES}
    return {
        "n": setting.n,
        "repeat": setting.repeat,
        "device": device_name(setting.device),
        "machine": platform.processor() or platform.machine(),
        "cores": cores,
        "release": built.manifest["release"],
        "config": dict(built.config) | given,
    }


def device_name(device: Device) -> str:
    """Return the GPU's name, or "host twin"."""
    if not device.on_gpu:
        return "host twin"
    name = device.xp.cuda.runtime.getDeviceProperties(device.xp.cuda.Device().id)["name"]
    return str(name.decode())
