"""What counting costs: programs of the suite on a profiling build and on an ordinary one.

    python -m porter.bench.counting_cost ORDINARY PROFILING [--target cuda] [--only NAME]

Both are folders of finished builds for that target. The two run each program in turn, so that what
else the machine does falls on both; the whole launch counts, by processor time on the host twin and
by the device's clock on a GPU. The median of the ratios is shown. On a GPU as many warps count as
have room (porter/run/launch/counting.py), as `porter profile` has it; --room gives more of it.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import attrs

from porter.bench.catalogue import SUITE, Benchmark
from porter.bench.measure import compiling
from porter.bench.oracle import check_ended
from porter.bench.subjects import cells
from porter.run import Device, Launch, Program, open_device, run
from porter.run.built import open_build
from porter.run.device.host import HostTwin
from porter.run.launch.counting import Counting

HOST_SIZES = Launch(heap=64 << 10, pystack=4 << 10, stack=32 << 10)


@attrs.frozen
class CountedWork:
    """n: interpreters. times: how often one runs the program, once it has compiled it."""

    n: int
    times: int
    rounds: int
    launch: Launch

    @classmethod
    def on(cls, device: Device) -> CountedWork:
        """What takes some seconds a program there."""
        return cls(1 << 16, 2, 3, Launch()) if device.on_gpu else cls(64, 10, 9, HOST_SIZES)


def seconds(
    device: Device, benchmark: Benchmark, work: CountedWork, counting: Counting | None
) -> float:
    """One launch. Raises BenchFailed where a program fails."""
    source = compiling(benchmark).source.decode() + f"for _i in range({work.times}): exec(_code)"
    bound = benchmark.setup is not None
    shared = {"data": cells(device.xp, work.n).reshape(-1)} if bound else {}
    launch = attrs.evolve(work.launch, counting=counting, bind=shared)
    begun = time.process_time()
    result = run(device, [Program(source)], work.n, launch)
    taken = time.process_time() - begun
    check_ended(benchmark.name, result, device)
    return result.timings["device"] if device.on_gpu else taken


def ratio(
    devices: tuple[Device, Device], benchmark: Benchmark, work: CountedWork, room: Counting
) -> float:
    """How many times as long the program takes where it is counted: the median of all pairs.

    devices: of the ordinary build and of the profiling one.
    """
    pairs = [
        (
            seconds(devices[1], benchmark, work, room),
            seconds(devices[0], benchmark, work, None),
        )
        for _ in range(work.rounds)
    ]
    return statistics.median(counted / plain for counted, plain in pairs)


def opened(folder: Path, target: str) -> Device:
    """On the host one thread, for processor time of several is less steady."""
    built = open_build(folder)
    return HostTwin(built, threads=1) if target == "host" else open_device(built, target)


def main() -> None:
    """Print a line for each program, and the median of all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("ordinary", type=Path)
    parser.add_argument("profiling", type=Path)
    parser.add_argument("--target", choices=("host", "cuda"), default="host")
    parser.add_argument("--only", action="append", default=[], help="programs that begin so")
    parser.add_argument(
        "--room", type=int, default=Counting().total, help="bytes, of all that count"
    )
    given = parser.parse_args()
    devices = (opened(given.ordinary, given.target), opened(given.profiling, given.target))
    work, room = CountedWork.on(devices[0]), Counting(total=given.room)
    ratios = {}
    for benchmark in SUITE:
        if given.only and not benchmark.name.startswith(tuple(given.only)):
            continue
        ratios[benchmark.name] = ratio(devices, benchmark, work, room)
        print(f"{benchmark.name:20} {ratios[benchmark.name]:.2f}", flush=True)
    print(f"{'median':20} {statistics.median(ratios.values()):.2f}")
    print(f"{'most':20} {max(ratios.values()):.2f}")


if __name__ == "__main__":
    main()
