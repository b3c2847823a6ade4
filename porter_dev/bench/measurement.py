"""Time a program on many interpreters: in one launch, and phase by phase.

Repeated measurements are summarised by their median and spread.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
from attrs import asdict, field, frozen

from porter.array.device_selection import check_room
from porter.native.code import compile_code
from porter.run import Device, Launch, Program, Result, run
from porter.run.device.base import Arenas, Array
from porter.run.footprint import Footprint
from porter.run.launch.options import Phase
from porter.run.launch.plan import footprint
from porter_dev.bench.catalogue import Benchmark
from porter_dev.bench.oracle import check_ended, subject


@frozen
class Figure:
    """Seconds of several runs of the same work: median, minimum, maximum, number of runs."""

    median: float
    least: float
    most: float
    runs: int

    @classmethod
    def of(cls, seconds: Iterable[float]) -> Figure:
        """Summarise these runs; at least one."""
        values = list(seconds)
        return cls(statistics.median(values), min(values), max(values), len(values))

    def scaled(self, factor: float) -> Figure:
        """Return the figure of `factor` times the work, if its cost is proportional."""
        return Figure(self.median * factor, self.least * factor, self.most * factor, self.runs)

    def as_dict(self) -> dict[str, float]:
        """Return the fields for JSON."""
        return asdict(self)


EMPTY = Program(b"", "<empty>")


@frozen
class Setting:
    """The device, the number of interpreters and repetitions, and the launch's other options."""

    device: Device
    n: int
    repeat: int
    launch: Launch = field(factory=Launch)

    @property
    def footprint(self) -> Footprint:
        """The memory of one interpreter."""
        return footprint(self.device, self.launch)

    def arenas(self) -> Arenas:
        """Allocate arenas in which all interpreters persist. Raises NotEnoughMemory."""
        check_room(self.device, self.n, self.launch)
        return self.device.arenas(self.n, self.footprint.pystack, self.footprint.heap)

    def compile(self, source: bytes, name: str) -> Array:
        """Compile `source` once and return its code on the device, for all interpreters."""
        return compile_code(self.device, self.launch, source, name, "file").memory

    def run(
        self, program: Program | None = None, phase: Phase | None = None, **changes: Any
    ) -> Result:
        """Launch all interpreters.

        Args:
            program: Program of every interpreter; None if `phase` brings compiled code.
            phase: Which phases the launch executes; None for all.
            **changes: Options that differ from `self.launch`.
        """
        programs = [] if program is None else [program]
        return run(self.device, programs, self.n, attrs.evolve(self.launch, **changes), phase)


@frozen
class Whole:
    """The timings of one launch that starts, compiles, runs and stops.

    Attributes:
        launch: Seconds on the device's clock.
        end_to_end: Wall-clock seconds until statuses and output lengths are back on the host.
    """

    launch: Figure
    end_to_end: Figure


@frozen
class Phases:
    """The timings of each phase in a launch of its own, on persistent interpreters.

    All are seconds on the device's clock.

    Attributes:
        start: Each interpreter boots and runs an empty program.
        compile: Each interpreter calls `compile(source)` for itself.
        execute: All execute code that was compiled once, as with `InterpreterArray.compile`.
        empty: The same with an empty program: the overhead of moving snapshots and of a launch.
            `execute` contains it.
    """

    start: Figure
    compile: Figure
    execute: Figure
    empty: Figure

    @property
    def swap_share(self) -> float:
        """The share of the execute launch that moves snapshots and launches, 0 to 1.

        Based on minima, since other load on the machine only adds time.
        """
        return min(1.0, self.empty.least / self.execute.least)


def compiling(benchmark: Benchmark) -> Program:
    """Return a program that compiles the benchmark's source and keeps the code."""
    text = f"_code = compile({benchmark.source!r}, {benchmark.file!r}, 'exec')\n"
    return Program(text.encode(), benchmark.file)


def whole(setting: Setting, benchmark: Benchmark, fork: bool | None = None) -> Whole:
    """Time whole launches of `benchmark`.

    The first launch warms up and does not count. If launches fork, it also creates the interpreter
    that later launches copy.

    Args:
        setting: Device and options.
        benchmark: Program to time.
        fork: As in `Launch`.

    Raises:
        BenchFailed: A result is wrong.
    """
    program = Program(benchmark.source.encode(), benchmark.file)
    about = subject(benchmark, setting.device, setting.n)
    launches, walls = [], []
    for _ in range(setting.repeat + 1):
        about.reset()
        start = time.perf_counter()
        result = setting.run(program, fork=fork, **about.launch())
        walls.append(time.perf_counter() - start)
        launches.append(result.timings["device"])
        about.check(result)
    # The first launch has allocated memory and raised clocks for later ones.
    return Whole(Figure.of(launches[1:]), Figure.of(walls[1:]))


def phases(setting: Setting, benchmark: Benchmark) -> Phases:
    """Time `benchmark` phase by phase. Raises BenchFailed."""
    return Phases(**_timed(setting, benchmark, ("start", "compile", "execute", "empty")))


def equal_data(setting: Setting, benchmark: Benchmark) -> Figure | None:
    """Time the execute phase where the lanes of a warp have equal data; None where impossible.

    Raises:
        BenchFailed: A result is wrong.
    """
    equal = benchmark.with_equal_data()
    return None if equal is None else _timed(setting, equal, ("start", "execute"))["execute"]


def _timed(setting: Setting, benchmark: Benchmark, names: Sequence[str]) -> dict[str, Figure]:
    arenas, about = setting.arenas(), subject(benchmark, setting.device, setting.n)
    going_on = Phase(arenas=arenas, stop=False)
    code = setting.compile(benchmark.source.encode(), benchmark.file)
    nothing = setting.compile(b"", "<empty>")
    steps: dict[str, tuple[Program | None, Phase]] = {
        "start": (EMPTY, going_on),
        "compile": (compiling(benchmark), going_on),
        "execute": (None, attrs.evolve(going_on, compiled=code)),
        "empty": (None, attrs.evolve(going_on, compiled=nothing)),
    }
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(setting.repeat + 1):
        arenas.started = False
        about.reset()
        for name in names:
            given = about.launch() if name == "execute" else {}
            result = setting.run(*steps[name], fork=False, **given)
            seconds[name].append(result.timings["device"])
            if name == "execute":
                about.check(result)
            else:
                check_ended(f"{benchmark.name}, {name}", result, setting.device)
    return {name: Figure.of(values[1:]) for name, values in seconds.items()}
