"""Measure the mean number of active lanes per warp, with NVIDIA's ncu, and read its results.

    ncu --csv --log-file lanes.csv --metrics smsp__thread_inst_executed_per_inst_executed.ratio \\
        --nvtx --print-nvtx-rename kernel --profile-from-start off --kernel-name gpusnek_launch \\
        --clock-control none python -m porter_dev.bench.lanes BUILD [-n N] [NAME ...]

runs each program of the suite twice, compiled beforehand: once for warm-up and once under ncu's
profiler. NAME selects programs of the suite; a path names a program outside it. The CSV file is the
input of `porter bench --lanes`.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

from porter.base import arguments
from porter.base.documents import structured
from porter.errors import PorterError, UsageError
from porter.run import open_device
from porter.run.launch.options import Phase
from porter_dev.bench.catalogue import LANES, SUITE, Benchmark
from porter_dev.bench.measurement import EMPTY, Setting
from porter_dev.bench.oracle import subject

METRIC = "smsp__thread_inst_executed_per_inst_executed"
MARK = "porter_dev.bench:"  # prefix of the NVTX range's name around a launch
_NAME = re.compile(re.escape(MARK) + r"([\w.-]+)")
HINT = "The command that makes such a file stands in docs/how-to/benchmark.md."


def read_lanes(path: arguments.StrPath) -> dict[str, float]:
    """Read the mean number of active lanes of a warp's 32, by program, from ncu's CSV or from JSON.

    A JSON file holds one object that maps names to numbers. A program with several profiled
    launches gets the mean of these.

    Raises:
        UsageError: The file cannot be read, is malformed, or a number is out of range.
    """
    path = arguments.path(path, "path")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read: {error}", hint=HINT) from error
    if not text.lstrip().startswith("{"):
        return _from_csv(path, text)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not JSON: {error}", hint=HINT) from error
    lanes = structured(document, dict[str, float], path, UsageError)
    return {name: _checked(path, name, number) for name, number in lanes.items()}


def _checked(path: Path, name: str, number: float) -> float:
    if not 0 < number <= LANES:
        what = f"{number:g} of a warp's {LANES} lanes cannot be active"
        raise UsageError(f"{path}: {name}: {what}", hint=HINT)
    return number


def _from_csv(path: Path, text: str) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for row in _rows(text):
        name = _NAME.search(" ".join(cell for cell in row.values() if isinstance(cell, str)))
        shown = _value(row)
        if name is None or shown is None:
            continue
        try:
            number = float(shown.replace(",", ""))
        except ValueError as error:
            raise UsageError(f"{path}: {name[1]}: {shown!r} is no number", hint=HINT) from error
        found.setdefault(name[1], []).append(_checked(path, name[1], number))
    if not found:
        raise UsageError(f"{path}: no launch of a program with the metric {METRIC}", hint=HINT)
    return {name: fmean(values) for name, values in found.items()}


def _rows(text: str) -> Iterator[dict[str, str]]:
    """Yield the rows below the column heads; ncu and programs write other lines above them."""
    lines = text.splitlines()
    heads = [i for i, line in enumerate(lines) if "Kernel Name" in line and line.startswith('"')]
    if heads:
        rest = [line for line in lines[heads[0] :] if not line.startswith("==")]
        yield from csv.DictReader(rest)


def _value(row: dict[str, str]) -> str | None:
    """Return the metric of a row, or None.

    ncu's page `details` has one row per metric; its page `raw` has one column per metric.
    """
    if (row.get("Metric Name") or "").startswith(METRIC):
        return row.get("Metric Value")
    return next((cell for name, cell in row.items() if name and name.startswith(METRIC)), None)


def count(setting: Setting, benchmark: Benchmark) -> None:
    """Run the compiled benchmark twice on running interpreters; ncu profiles the second launch.

    Raises:
        BenchFailed: A result is wrong.
    """
    arenas, about = setting.arenas(), subject(benchmark, setting.device, setting.n)
    going_on = Phase(arenas=arenas, stop=False)
    compiled = setting.compile(benchmark.source.encode(), benchmark.file)
    setting.run(EMPTY, going_on)
    execute = Phase(arenas=arenas, stop=False, compiled=compiled)
    about.reset()
    setting.run(None, execute, **about.launch())
    about.reset()
    with seen(setting.device.xp.cuda, benchmark.name):
        result = setting.run(None, execute, **about.launch())
    about.check(result)


@contextmanager
def seen(cuda: Any, name: str) -> Iterator[None]:
    """Profile the launches inside the `with` block, under `name`. cuda: CuPy's module `cuda`."""
    cuda.nvtx.RangePush(MARK + name)
    cuda.runtime.profilerStart()
    try:
        yield
    finally:
        cuda.runtime.profilerStop()
        cuda.nvtx.RangePop()


def chosen(names: Sequence[str]) -> list[Benchmark]:
    """Return the programs with these names, or in these files; the whole suite without names.

    Raises:
        UsageError: A name is neither a program of the suite nor a file.
    """
    suite = {benchmark.name: benchmark for benchmark in SUITE}
    found = []
    for name in names or suite:
        path = Path(name)
        if name not in suite and not path.is_file():
            raise UsageError(f"{name}: there is no such program", hint=", ".join(suite))
        found.append(suite.get(name) or Benchmark(path.stem, name, str(path.resolve()), 64))
    return found


def main(arguments: Sequence[str]) -> None:
    """Profile the programs that the command line names. Raises UsageError, BenchFailed."""
    parser = argparse.ArgumentParser(prog="porter_dev.bench.lanes")
    parser.add_argument("build", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("-n", type=int, default=1 << 16)
    given = parser.parse_intermixed_args(arguments)  # names may precede or follow -n
    benchmarks = chosen(given.names)
    device = open_device(given.build, "cuda")
    for benchmark in benchmarks:
        count(Setting(device, given.n, 1), benchmark)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except PorterError as error:
        sys.exit(error.message)
