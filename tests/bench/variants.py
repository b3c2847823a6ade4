"""Measure second versions of the suite's programs, for which nobody tunes.

    python tests/bench/variants.py BUILD [host|cuda] [-n N] [--repeat R] [--json FILE]

If a figure of the suite is far better than its variant's, the code was tuned for the suite.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from porter.run import open_device
from porter_dev.bench import bench_report, many
from porter_dev.bench.catalogue import SUITE, Benchmark
from porter_dev.bench.measurement import Setting
from porter_dev.bench.suite import BenchSuite, conditions

PROGRAMS = Path(__file__).parent / "programs"
SEED = 1  # of the generated programs; the suite's is another
NAMES = {path.stem for path in PROGRAMS.glob("*.py")}
VARIANTS = tuple(
    Benchmark(b.name, b.title, str(PROGRAMS / b.file), b.period, double=b.double)
    for b in SUITE
    if b.name in NAMES
)


def main() -> None:
    """See above. Raises BenchFailed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("target", nargs="?", default="cuda")
    parser.add_argument("-n", type=int, default=1 << 18)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    setting = Setting(open_device(given.build, given.target), given.n, given.repeat)
    suite = BenchSuite(setting, native=False)
    rows = suite.run(VARIANTS)
    measured = bench_report.Measured(
        rows, [], None, many.measure(setting, suite.pythons, seed=SEED)
    )
    about = conditions(setting, suite.cores) | {"references": {}}
    bench_report.show(measured, about, Console(width=140))
    if given.json is not None:
        given.json.write_text(json.dumps(bench_report.to_json(measured, about), indent=1) + "\n")


if __name__ == "__main__":
    main()
