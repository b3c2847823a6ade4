"""`python -m porter_dev.bench.warp BUILD`: simulate a warp; report its divergence by function.

BUILD must have the host twin's variant `traced`: porter build --target host --variant traced. With
--baseline, the command fails if fewer lanes are active than stored; --store writes the values.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from porter.errors import BenchFailed, PorterError
from porter.run.built import open_build
from porter_dev.bench.warp.simulation import MODELS
from porter_dev.bench.warp.warp_report import (
    SHOWN,
    WarpBench,
    compare,
    lanes_table,
    lines,
    load,
    names_of,
    store,
)


def main(arguments: list[str]) -> None:
    """Simulate the programs that the command line names and report them.

    Raises:
        BenchFailed: Fewer lanes are active than the baseline stores.
        PorterError: The command line or the build is not usable.
    """
    parser = argparse.ArgumentParser("python -m porter_dev.bench.warp", description=__doc__)
    parser.add_argument("build", type=Path, help="folder of a finished build")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="PROGRAM", help="of the suite, or files x.py"
    )
    parser.add_argument(
        "--models",
        nargs="+",
        choices=sorted(MODELS),
        default=["ideal", "barriers"],
        metavar="MODEL",
        help=f"of: {'; '.join(MODELS)}",
    )
    parser.add_argument("--all", action="store_true", help="all models")
    parser.add_argument("--top", type=int, default=SHOWN, help="functions shown")
    parser.add_argument("--steps", type=int, help="after which programs are stopped")
    parser.add_argument("--baseline", type=Path, help="compare with these lanes")
    parser.add_argument("--store", action="store_true", help="write them there instead")
    given = parser.parse_args(arguments)
    bench = WarpBench.of(given.build, steps=given.steps)
    models = [*MODELS] if given.all else given.models
    lanes: dict[str, int] = {}
    for name in names_of(given.only):
        walked = bench.walk(name, models)
        print("\n".join(lines(bench.code, walked, given.top)), flush=True)
        if "barriers" in walked.models:
            lanes[walked.name] = round(100 * walked.models["barriers"].active)
    if given.baseline is None:
        return
    table = lanes_table(open_build(given.build))
    if given.store:
        store(given.baseline, table, lanes)
    elif worse := compare(load(given.baseline).get(table, {}), lanes):
        raise BenchFailed("\n".join(worse))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except PorterError as error:
        hint = f"\nhint: {error.hint}" if error.hint else ""
        sys.exit(error.message + hint)
