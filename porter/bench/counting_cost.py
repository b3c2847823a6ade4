"""What counting costs: programs of the suite on a profiling build and on an ordinary one.

    python -m porter.bench.counting_cost ORDINARY PROFILING

Both are folders of finished builds with host twins. The two run each program in turn, so that what
else the machine does falls on both; processor time of the whole launch counts, the median of the
ratios is shown.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import attrs

from porter.bench.catalogue import SUITE, Benchmark
from porter.bench.measure import compiling
from porter.bench.oracle import check_ended
from porter.bench.subjects import cells
from porter.run import Launch, Program, run
from porter.run.built import open_build
from porter.run.device.host import HostTwin
from porter.run.launch.counting import Counting

N = 64
TIMES = 10  # how often an interpreter runs the program, once it has compiled it
ROUNDS = 9
SIZES = Launch(heap=64 << 10, pystack=4 << 10, stack=32 << 10)


def seconds(device: HostTwin, benchmark: Benchmark, counting: Counting | None) -> float:
    """Processor time of one launch. Raises BenchFailed where a program fails."""
    source = compiling(benchmark).source.decode() + f"for _i in range({TIMES}): exec(_code)"
    shared = {"data": cells(device.xp, N).reshape(-1)} if benchmark.setup is not None else {}
    launch = attrs.evolve(SIZES, counting=counting, bind=shared)
    begun = time.process_time()
    result = run(device, [Program(source)], N, launch)
    taken = time.process_time() - begun
    check_ended(benchmark.name, result, device)
    return taken


def ratio(ordinary: HostTwin, profiling: HostTwin, benchmark: Benchmark) -> float:
    """How many times as long the program takes where it is counted: the median of ROUNDS pairs."""
    pairs = [
        (seconds(profiling, benchmark, Counting()), seconds(ordinary, benchmark, None))
        for _ in range(ROUNDS)
    ]
    return statistics.median(counted / plain for counted, plain in pairs)


def main(ordinary: Path, profiling: Path) -> None:
    """Print a line for each program, and the median of all."""
    devices = [HostTwin(open_build(folder), threads=1) for folder in (ordinary, profiling)]
    ratios = {}
    for benchmark in SUITE:
        ratios[benchmark.name] = ratio(devices[0], devices[1], benchmark)
        print(f"{benchmark.name:20} {ratios[benchmark.name]:.2f}", flush=True)
    print(f"{'median':20} {statistics.median(ratios.values()):.2f}")
    print(f"{'most':20} {max(ratios.values()):.2f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
