"""Timing a program on many interpreters: in one launch, and phase by phase."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import attrs
from attrs import field, frozen

from porter.array.code import compile_code
from porter.array.opening import check_room
from porter.bench.catalogue import Benchmark
from porter.bench.figures import Figure
from porter.bench.oracle import check_ended
from porter.bench.subjects import subject
from porter.run import Device, Launch, Program, Result, run
from porter.run.device.base import Arenas, Array
from porter.run.footprint import Footprint
from porter.run.launch.plan import footprint
from porter.run.launch.spec import Phase

EMPTY = Program(b"", "<empty>")


@frozen
class Setting:
    """Where and how often: interpreters, repetitions, and what a launch has besides."""

    device: Device
    n: int
    repeat: int
    launch: Launch = field(factory=Launch)

    @property
    def footprint(self) -> Footprint:
        """Bytes of one interpreter."""
        return footprint(self.device, self.launch)

    def arenas(self) -> Arenas:
        """Memory in which all interpreters outlive a launch. Raises NotEnoughMemory."""
        check_room(self.device, self.n, self.launch)
        return self.device.arenas(self.n, self.footprint.pystack, self.footprint.heap)

    def compile(self, source: bytes, name: str) -> Array:
        """Code that all interpreters can execute, on the device."""
        return compile_code(self.device, self.launch, source, name, "file").memory

    def run(
        self, program: Program | None = None, phase: Phase | None = None, **changes: Any
    ) -> Result:
        """One launch of all interpreters, of a program or of what `phase` says.

        changes: to the launch.
        """
        programs = [] if program is None else [program]
        return run(self.device, programs, self.n, attrs.evolve(self.launch, **changes), phase)


@frozen
class Whole:
    """One launch that starts, compiles, runs and stops.

    launch: on the device's clock. end_to_end: until statuses and lengths of outputs are back.
    """

    launch: Figure
    end_to_end: Figure


@frozen
class Phases:
    """The same in launches of their own, on interpreters that persist; the device's clock.

    start: each boots, and runs an empty program. compile: `compile(source)`, each its own.
    execute: code that was compiled once for all, as `InterpreterArray.compile` gives. empty: the
    same of an empty program on interpreters that are there, so what moving images and a launch
    cost by themselves; execute contains it.
    """

    start: Figure
    compile: Figure
    execute: Figure
    empty: Figure

    @property
    def swap_share(self) -> float:
        """How much of the launch that executes goes into moving images and launching.

        By the least of each: what else a machine does only adds.
        """
        return min(1.0, self.empty.least / self.execute.least)


def compiling(benchmark: Benchmark) -> Program:
    """A program that compiles the benchmark's source and keeps the code."""
    text = f"_code = compile({benchmark.source!r}, {benchmark.file!r}, 'exec')\n"
    return Program(text.encode(), benchmark.file)


def whole(setting: Setting, benchmark: Benchmark, fork: bool | None = None) -> Whole:
    """Time whole launches of `benchmark`; `fork` as Launch has it. Raises BenchFailed.

    Where launches fork, the first one makes what the others copy, and does not count.
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
    # The first has paid for memory and clocks that later ones find ready.
    return Whole(Figure.of(launches[1:]), Figure.of(walls[1:]))


def phases(setting: Setting, benchmark: Benchmark) -> Phases:
    """Time `benchmark` phase by phase. Raises BenchFailed."""
    return Phases(**_timed(setting, benchmark, ("start", "compile", "execute", "empty")))


def equal_data(setting: Setting, benchmark: Benchmark) -> Figure | None:
    """Time the phase `execute` where the lanes of a warp have equal data; None where they cannot.

    Raises BenchFailed.
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
