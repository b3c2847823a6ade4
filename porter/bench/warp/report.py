"""What the models say of programs, as text: lanes active, and the functions in which lanes part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import define, field, frozen

from porter.bench.catalogue import SUITE, Benchmark
from porter.bench.subjects import subject
from porter.bench.warp.blocks import WarpCode, read_code
from porter.bench.warp.record import TARGET, WARP, Recorder
from porter.bench.warp.simulate import MODELS, Simulated, Walk
from porter.errors import UsageError
from porter.run.built import open_build

SHOWN = 10  # functions of a program


@frozen
class Walked:
    """One program: its lanes in each model by name, and whether each was recorded to its end.

    blocks: what lanes executed, as recorded. cut: lanes of which only a beginning counts.
    """

    name: str
    models: Mapping[str, Simulated]
    blocks: int
    cut: int


@define
class WarpBench:
    """The programs of one traced build; `names` are of the suite, or files."""

    code: WarpCode = field(repr=False)
    recorder: Recorder

    @classmethod
    def of(cls, build: Path, steps: int | None = None) -> WarpBench:
        """Of the build in `build`. Raises BenchFailed, ToolMissing."""
        recorder = Recorder.of(build, steps=steps)
        library = open_build(build).file(TARGET, "libgpusnek.so")
        return cls(read_code(library), recorder)

    def walk(self, name: str, models: Iterable[str] = ("ideal", "barriers")) -> Walked:
        """Record `name` on one warp and simulate it. Raises UsageError, BenchFailed."""
        if name.endswith(".py"):
            recording, _ = self.recorder.record(_text(Path(name)), Path(name).name)
        else:
            benchmark = find(name)
            about = subject(benchmark, self.recorder.device, WARP)
            given = about.launch()
            recording, result = self.recorder.record(benchmark.source, benchmark.file, launch=given)
            about.check(result)
        walk = Walk.of(self.code, recording)
        found = {model: walk.simulate(MODELS[model]) for model in models}
        blocks = int(recording.lengths.sum())
        return Walked(Path(name).stem, found, blocks, int(recording.cut.sum()))


def find(name: str) -> Benchmark:
    """The suite's program. Raises UsageError."""
    for benchmark in SUITE:
        if benchmark.name == name:
            return benchmark
    names = ", ".join(benchmark.name for benchmark in SUITE)
    raise UsageError(f"{name}: no program of the suite", hint=f"One of {names}; or a file, x.py.")


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error


def by_function(code: WarpCode, simulated: Simulated) -> list[tuple[str, float, float]]:
    """Functions with the shares of all lanes' slots that idled since they parted there, and there.

    Sorted by the first share, the largest first.
    """
    parted = np.zeros(len(code.names))
    idle = np.zeros(len(code.names))
    np.add.at(parted, code.function, simulated.parted.astype(float))
    missed = simulated.in_block.astype(float) * simulated.lanes - simulated.work_in
    np.add.at(idle, code.function, missed)
    slots = simulated.issues * simulated.lanes
    order = np.argsort(-parted - idle * 1e-9, kind="stable")
    return [(code.names[i], float(parted[i] / slots), float(idle[i] / slots)) for i in order]


def lines(code: WarpCode, walked: Walked, shown: int = SHOWN) -> Iterator[str]:
    """A program's part of the report."""
    cut = f", {walked.cut} lanes cut: only their beginning counts" if walked.cut else ""
    yield f"{walked.name}: {walked.blocks:,} words recorded{cut}"
    base = walked.models.get("barriers")
    for name, one in walked.models.items():
        speed = f"  x {base.issues / one.issues:.2f}" if base is not None else ""
        starved = f"  {one.starved} lanes wait for ever" if one.starved else ""
        yield f"  {name:<26} {one.active:5.1f} lanes  {one.issues:>12,} issues{speed}{starved}"
    if base is None:
        return
    yield "  idle since lanes parted in, idle in:"
    for function, parted, idle in by_function(code, base)[:shown]:
        if parted >= 0.0005 or idle >= 0.0005:
            yield f"    {100 * parted:5.1f} %  {100 * idle:5.1f} %  {function}"


def names_of(only: Sequence[str]) -> tuple[str, ...]:
    """The programs asked for; the whole suite where none is."""
    return tuple(only) or tuple(benchmark.name for benchmark in SUITE)
