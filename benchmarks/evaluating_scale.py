"""Time `porter.evaluate` and a pool of CPython processes over the number of programs, and plot it.

    python -m benchmarks.evaluating_scale --out scale.csv
    python -m benchmarks.evaluating_scale --plot judging.png scale.csv

The programs have four lines (`small`), or ten to 24 lines (`candidates`, of
porter_dev/candidates.py); all are different and new to the device. A program runs once for
each of its cases. The engines are CPython, with a process per core, and each of `cores`, `gpu` and
`together` that the machine has. Devices are open, and processes started, before the time begins.
Every engine's results are compared with CPython's.

Output: rows of engine, kind, programs, cases, seconds. `--plot` needs matplotlib, and several files
become one plot.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict, frozen

from benchmarks.evaluating import EXPECTED, judged, small
from porter import evaluate
from porter.errors import PorterError
from porter.evaluation.devices import open_all
from porter.evaluation.execution import Opened, open_sandbox
from porter_dev.candidates import functions

COUNTS = (100, 1_000, 10_000, 100_000, 1_000_000)
MOST_CALLS = 1_000_000  # of a measurement
KINDS = {"small": 1, "candidates": 64}  # cases of each program
REPEATS = 3
ENGINES = {"cores": "host", "gpu": "cuda", "together": None}  # targets


@frozen
class Timing:
    """A row of the output.

    Attributes:
        engine: "CPython", or a key of ENGINES.
        kind: A key of KINDS.
        programs: Number of programs.
        cases: Cases of each.
        seconds: Wall time, the least of the repeats.
    """

    engine: str
    kind: str
    programs: int
    cases: int
    seconds: float


def sources_of(kind: str, count: int, seed: int) -> list[str]:
    """Return `count` programs that no other seed has."""
    if kind == "small":
        return [f"{text}# {seed}\n" for text in small(count)]
    return [f"{text}# {seed}\n" for text in functions(seed, count)]


class Reference:
    """A pool of CPython processes without a sandbox, one for each core."""

    def __init__(self) -> None:
        self.cores = os.cpu_count() or 1
        self.pool = multiprocessing.Pool(self.cores)

    def run(self, sources: Sequence[str], cases: int) -> tuple[float, np.ndarray[Any, Any]]:
        """Return the seconds, and which of the cases each program passes (bool)."""
        count = 8 * self.cores
        begun = time.perf_counter()
        parts = self.pool.map(judged, [(sources[i::count], cases) for i in range(count)])
        seconds = time.perf_counter() - begun
        passed = np.zeros((len(sources), cases), bool)
        for i, part in enumerate(parts):
            if part:
                passed[i::count] = part
        return seconds, passed


def _engines(build: str | None) -> Iterator[tuple[str, Opened]]:
    """Yield the engines that this machine has, opened."""
    for name, target in ENGINES.items():
        try:
            device, _ = open_sandbox(target, None, build)
            open_all(device)
        except PorterError as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        if name == "together" and device.name == "host":
            device.close()
            continue
        yield name, device
        device.close()


def measure(build: str | None, counts: Sequence[int]) -> Iterator[Timing]:
    """Yield a row for each engine, kind and number of programs.

    Raises:
        SystemExit: An engine's results differ from CPython's.
    """
    reference = Reference()
    reference.run(sources_of("small", 100, 0), 1)
    work = [(kind, n) for kind in KINDS for n in counts if n * KINDS[kind] <= MOST_CALLS]
    expected = {}
    for kind, count in work:
        runs = [reference.run(sources_of(kind, count, k), KINDS[kind]) for k in range(REPEATS)]
        expected[kind, count] = [passed for _, passed in runs]
        yield Timing("CPython", kind, count, KINDS[kind], min(seconds for seconds, _ in runs))
    for name, device in _engines(build):
        for kind, count in work:
            cases = [((case,), EXPECTED) for case in range(KINDS[kind])]
            evaluate(sources_of(kind, 100, 1_000), cases, device=device)
            timed = []
            for k, passed in enumerate(expected[kind, count]):
                sources = sources_of(kind, count, k)
                begun = time.perf_counter()
                found = evaluate(sources, cases, device=device)
                timed.append(time.perf_counter() - begun)
                if not np.array_equal(found.passed, passed):
                    raise SystemExit(f"{name}: the results of {count} programs ({kind}) differ")
            yield Timing(name, kind, count, KINDS[kind], min(timed))


def plot(rows: Sequence[dict[str, str]], to: Path) -> None:
    """Draw calls per second over the number of programs, a panel for each kind of programs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    for axes, (kind, cases) in zip(
        figure.subplots(1, len(KINDS), sharey=True), KINDS.items(), strict=True
    ):
        own = [row for row in rows if row["kind"] == kind]
        for engine in dict.fromkeys(row["engine"] for row in own):
            points = sorted(
                (int(row["programs"]), int(row["programs"]) * cases / float(row["seconds"]))
                for row in own
                if row["engine"] == engine
            )
            axes.loglog(*zip(*points, strict=True), marker="o", label=engine)
        axes.set_title(f"{kind}: {cases} call{'s' if cases > 1 else ''} of each program")
        axes.set_xlabel("programs")
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("calls per second")
    figure.axes[0].legend()
    figure.savefig(to, dpi=110)


def main() -> None:
    """Measure, or plot."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", help="a finished build [bounds-checked]")
    parser.add_argument("--counts", type=int, nargs="+", default=COUNTS)
    parser.add_argument("--out", type=Path, help="write the rows to this file")
    parser.add_argument("--plot", nargs="+", type=Path, metavar=("PNG", "CSV"))
    options = parser.parse_args()
    if options.plot:
        target, *files = options.plot
        rows: list[dict[str, str]] = []
        for file in files:
            with file.open(newline="") as lines:
                rows += csv.DictReader(lines)
        plot(rows, target)
        return
    found: list[dict[str, Any]] = []
    for timing in measure(options.build, options.counts):
        found.append(asdict(timing))
        print(
            f"{timing.engine}, {timing.programs} {timing.kind}: {timing.seconds:.4f} s", flush=True
        )
    if options.out:
        with options.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(found[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)


if __name__ == "__main__":
    main()
