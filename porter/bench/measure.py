"""Timing a program on many interpreters: in one launch, and phase by phase."""

from __future__ import annotations

import time
from typing import Any

import attrs
from attrs import field, frozen

from porter.bench.catalogue import Benchmark
from porter.bench.figures import Figure
from porter.bench.oracle import check_ended, check_result
from porter.run import Device, Launch, Program, Result, run

EMPTY = Program(b"", "<empty>")


@frozen
class Setting:
    """Where and how often: interpreters, repetitions, and what a launch has besides."""

    device: Device
    n: int
    repeat: int
    launch: Launch = field(factory=Launch)

    def run(self, program: Program, **changes: Any) -> Result:
        """One launch of all interpreters."""
        return run(self.device, [program], self.n, attrs.evolve(self.launch, **changes))


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

    start: an empty program. compile: `compile(source)`. execute: `exec` of that. empty: an empty
    program on interpreters that are there, so what moving images and a launch cost by themselves;
    compile and execute contain it.
    """

    start: Figure
    compile: Figure
    execute: Figure
    empty: Figure

    @property
    def swap_share(self) -> float:
        """How much of the launch that executes goes into moving images and launching."""
        return min(1.0, self.empty.median / self.execute.median)


def whole(setting: Setting, benchmark: Benchmark) -> Whole:
    """Time whole launches of `benchmark`. Raises BenchFailed."""
    program = Program(benchmark.source.encode(), benchmark.file)
    launches, walls = [], []
    for _ in range(setting.repeat + 1):
        start = time.perf_counter()
        result = setting.run(program)
        walls.append(time.perf_counter() - start)
        launches.append(result.timings["device"])
        check_result(benchmark, result, setting.device)
    # The first has paid for memory and clocks that later ones find ready.
    return Whole(Figure.of(launches[1:]), Figure.of(walls[1:]))


def phases(setting: Setting, benchmark: Benchmark) -> Phases:
    """Time `benchmark` phase by phase. Raises BenchFailed."""
    device, config = setting.device, setting.device.built.config
    sizes = [getattr(setting.launch, name) or config[name] for name in ("pystack", "heap")]
    arenas = device.arenas(setting.n, *sizes)
    compiling = f"_code = compile({benchmark.source!r}, {benchmark.file!r}, 'exec')\n"
    steps: dict[str, Program] = {
        "start": EMPTY,
        "compile": Program(compiling.encode(), benchmark.file),
        "execute": Program(b"exec(_code)\n", benchmark.file),
        "empty": EMPTY,
    }
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(setting.repeat + 1):
        arenas.started = False
        for name, program in steps.items():
            result = setting.run(program, persist=arenas, stop=False)
            seconds[name].append(result.timings["device"])
            if name == "execute":
                check_result(benchmark, result, device)
            else:
                check_ended(f"{benchmark.name}, {name}", result, device)
    return Phases(**{name: Figure.of(values[1:]) for name, values in seconds.items()})
