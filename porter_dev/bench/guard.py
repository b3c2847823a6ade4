"""Guard against performance regressions: compare counts of a build with stored ones.

The counts are instructions of the host twin and resources of the device code, never seconds.

    python -m porter_dev.bench.guard BUILD BASELINE.toml [--store]

compares the host twin, the device code, or both, whichever the build has; --store writes the
counts.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from porter.base import arguments
from porter.base.documents import read_toml, structured
from porter.base.files import write_whole
from porter.errors import BenchFailed, UsageError
from porter.run.built import Built, open_build
from porter_dev.bench.callgrind import count
from porter_dev.bench.catalogue import SUITE

Baseline = dict[str, dict[str, int]]

TOLERANCE = 0.03  # more than the difference between compilers of one major version
KERNEL = "gpusnek_launch"


def host_table(built: Built) -> str:
    """Return the name of the baseline's table for instructions of this host twin."""
    compiler = str(built.manifest["targets"]["host"]["compiler"])
    return f"host, {built.manifest['release']}, g++ {compiler.partition('.')[0]}"


def device_table(built: Built) -> str:
    """Return the name of the baseline's table for the resources of this device build."""
    config, cuda = built.config, built.manifest["targets"]["cuda"]
    nvcc = ".".join(str(cuda["nvcc"]).split(".")[:2])
    return f"{config['arch']}, {config['arena']} arena, {built.manifest['release']}, nvcc {nvcc}"


def instructions(built: Built) -> dict[str, int]:
    """Count the instructions of one run of each program of the suite on the host twin."""
    with TemporaryDirectory(prefix="porter-guard-") as folder:
        return count(built.folder, SUITE, Path(folder))


def resources(built: Built) -> dict[str, int]:
    """Return the compiler's report on the device code: registers, bytes of stack and of spills."""
    machine = built.manifest["targets"]["cuda"]["machine"]
    if len(machine) != 1:
        raise UsageError(
            f"{built.folder} is for {', '.join(machine)}",
            hint="Compare a build for one architecture.",
        )
    (code,) = machine.values()
    report = code["resources"]
    kernel = report["kernels"][KERNEL]
    return {
        "registers": int(kernel["registers"]),
        "stack": int(kernel["stack"]),
        "largest frame": max(report["largest_frames"].values()),
        "spill stores": int(report["spill_stores"]),
        "spill loads": int(report["spill_loads"]),
    }


def load(path: arguments.StrPath) -> Baseline:
    """Read the stored counts, by table. Raises UsageError."""
    path = arguments.path(path, "path")
    return structured(read_toml(path, UsageError), Baseline, path, UsageError)


def store(path: arguments.StrPath, table: str, counts: Mapping[str, int]) -> None:
    """Write `counts` as `table` of the baseline and keep the other tables."""
    path = arguments.path(path, "path")
    tables = load(path) if path.exists() else {}
    tables[table] = dict(counts)
    lines = ["# Written by `python -m porter_dev.bench.guard BUILD BASELINE.toml --store`."]
    for name in sorted(tables):
        lines += ["", f'["{name}"]', *(f'"{key}" = {n}' for key, n in tables[name].items())]
    write_whole(path, "\n".join(lines) + "\n")


def compare(stored: Mapping[str, int], counts: Mapping[str, int]) -> list[str]:
    """Return a line for each count that exceeds its stored value by TOLERANCE or is not stored."""
    worse = []
    for name, n in counts.items():
        before = stored.get(name)
        if before is None:
            worse.append(f"{name}: {n}, and none is stored")
        elif n > before * (1 + TOLERANCE):
            share = f", {100 * (n / before - 1):+.1f} %" if before else ""
            worse.append(f"{name}: {n}, stored {before}{share}")
    return worse


def main(arguments: list[str]) -> None:
    """Compare or store the counts of a build. Raises BenchFailed if a count got worse."""
    built, path = open_build(Path(arguments[0])), Path(arguments[1])
    worse = []
    for target, table_of, count_of in (
        ("host", host_table, instructions),
        ("cuda", device_table, resources),
    ):
        if target not in built.manifest["targets"]:
            continue
        table, counts = table_of(built), count_of(built)
        print(table, counts)
        if "--store" in arguments:
            store(path, table, counts)
        worse += compare(load(path).get(table, {}), counts)
    if worse:
        raise BenchFailed("\n".join(worse))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BenchFailed as error:
        sys.exit(error.message)
