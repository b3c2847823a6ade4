"""Report the simulated warp of programs: active lanes, and the functions where lanes diverge.

A guard compares the active lanes of the model `barriers` with stored values.

Stored values are hundredths of lanes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import define, field, frozen

from porter.errors import UsageError
from porter.run.built import Built, open_build
from porter_dev.bench.catalogue import SUITE, Benchmark
from porter_dev.bench.guard import TOLERANCE, load, store
from porter_dev.bench.oracle import subject
from porter_dev.bench.warp.control_flow import WarpCode, read_code
from porter_dev.bench.warp.record import TARGET, WARP, Recorder
from porter_dev.bench.warp.simulation import MODELS, Simulated, Walk

__all__ = ["compare", "lanes_table", "load", "store"]


def lanes_table(built: Built) -> str:
    """Return the name of the baseline's table for this traced host twin."""
    compiler = str(built.manifest["targets"][TARGET]["compiler"])
    return f"lanes, {built.manifest['release']}, g++ {compiler.partition('.')[0]}"


def compare(stored: Mapping[str, int], lanes: Mapping[str, int]) -> list[str]:
    """Return a line for each value below the stored one by TOLERANCE, or not stored."""
    worse = []
    for name, n in lanes.items():
        before = stored.get(name)
        if before is None:
            worse.append(f"{name}: {n / 100} lanes, and none are stored")
        elif n < before * (1 - TOLERANCE):
            worse.append(
                f"{name}: {n / 100} lanes, stored {before / 100}, {100 * (n / before - 1):+.1f} %"
            )
    return worse


SHOWN = 10  # functions of a program


@frozen
class Walked:
    """The simulations of one program.

    Attributes:
        name: Program.
        models: Result of each model, by the model's name.
        blocks: Words recorded, of all lanes.
        cut: Lanes whose recording is incomplete; only its beginning was simulated.
    """

    name: str
    models: Mapping[str, Simulated]
    blocks: int
    cut: int


@define
class WarpBench:
    """Record and simulate programs on one traced build."""

    code: WarpCode = field(repr=False)
    recorder: Recorder

    @classmethod
    def of(cls, build: Path, steps: int | None = None) -> WarpBench:
        """Open the traced build in the folder `build`. Raises BenchFailed, ToolMissing.

        Args:
            build: Folder of a finished build with the variant `traced`.
            steps: Instructions after which a program is stopped; None: no limit.
        """
        recorder = Recorder.of(build, steps=steps)
        library = open_build(build).file(TARGET, "libgpusnek.so")
        return cls(read_code(library), recorder)

    def walk(self, name: str, models: Iterable[str] = ("ideal", "barriers")) -> Walked:
        """Record a program on one warp and simulate it.

        Args:
            name: Program of the suite, or path of a file *.py.
            models: Names out of MODELS.

        Raises:
            UsageError: There is no such program.
            BenchFailed: The program's result is wrong.
        """
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
    """Return the program of the suite with this name. Raises UsageError."""
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
    """Return each function with the share of lane slots lost by divergence in it, and idle in it.

    The first share counts slots that idle lanes lost after they had diverged in the function,
    wherever the other lanes ran meanwhile. The second counts slots that were idle while the
    function ran. Sorted by the first share, the largest first.
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
    """Yield the report's lines for one program."""
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
    """Return the selected programs, or the whole suite if none is selected."""
    return tuple(only) or tuple(benchmark.name for benchmark in SUITE)
