"""Measure the overhead of profiling: run the suite on a profiling build and on an ordinary one.

    python -m porter_dev.bench.counting_cost ORDINARY PROFILING [--target cuda] [--only NAME]

ORDINARY and PROFILING are folders of finished builds for the target. Each program runs on both
builds in turn, so that other load on the machine affects both alike. A measurement covers the whole
launch: processor time on the host twin, the device's clock on a GPU. The result is the median of
the ratios. On a GPU, the memory budget for counters limits the number of warps that count
(porter/run/launch/counters.py). The default budget is that of `porter profile`; --room changes it.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import attrs

from porter.run import Device, Launch, Program, open_device, run
from porter.run.built import open_build
from porter.run.device.host import HostTwin
from porter.run.launch.counters import Counting
from porter_dev.bench.catalogue import SUITE, Benchmark
from porter_dev.bench.measurement import compiling
from porter_dev.bench.oracle import cells, check_ended

HOST_SIZES = Launch(heap=64 << 10, pystack=4 << 10, stack=32 << 10)


@attrs.frozen
class CountedWork:
    """The amount of work of one measurement.

    Attributes:
        n: Number of interpreters.
        times: Executions of the compiled program per interpreter.
        rounds: Pairs of launches per program.
        launch: Options of every launch.
    """

    n: int
    times: int
    rounds: int
    launch: Launch

    @classmethod
    def on(cls, device: Device) -> CountedWork:
        """Return an amount of work that takes some seconds per program on `device`."""
        return cls(1 << 16, 2, 3, Launch()) if device.on_gpu else cls(64, 10, 9, HOST_SIZES)


def seconds(
    device: Device, benchmark: Benchmark, work: CountedWork, counting: Counting | None
) -> float:
    """Return the seconds of one launch. Raises BenchFailed where a program fails."""
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
    """Return the slowdown of a program by counting: the median of all pairs.

    Args:
        devices: The device with the ordinary build, then with the profiling build.
        benchmark: Program to run.
        work: Amount of work per launch.
        room: Memory budget of the counters.
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
    """Open a finished build. A host twin gets one thread, for a steadier processor time."""
    built = open_build(folder)
    return HostTwin(built, threads=1) if target == "host" else open_device(built, target)


def main() -> None:
    """Print the slowdown of each program, the median and the maximum."""
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
