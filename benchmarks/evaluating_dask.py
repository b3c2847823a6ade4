"""Time `porter.dask.evaluate` on local workers, and `porter.evaluate` on the same devices.

    python -m benchmarks.evaluating_dask --build FOLDER [--target cuda|host] [--workers 2]
        [--programs 32768] [--cases 64] [--repeat 3]

With `--target cuda`, each worker has a GPU of its own, and the process has as many. On the host
twin, each worker has an equal part of the cores, and the process has all. The programs are those of
benchmarks/evaluating.py, new in each repetition. Times exclude starting workers and opening
devices. The first repetition of the workers includes the transfer of the build.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from benchmarks.evaluating import EXPECTED
from porter import dask, evaluate
from porter.evaluation.devices import open_all
from porter.evaluation.execution import open_sandbox
from porter_dev.candidates import functions
from porter_dev.dask_workers import workers


def main() -> None:
    """Print the seconds of each repetition, and whether steps and statuses are equal.

    Raises:
        SystemExit: Results differ.
    """
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--target", choices=("cuda", "host"), default="cuda")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--programs", type=int, default=32768)
    parser.add_argument("--cases", type=int, default=64)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    target, numbers, threads = None, ",".join(map(str, range(options.workers))), 1
    if options.target == "host":
        target, numbers = "host", None
        threads = max(1, (os.cpu_count() or 1) // options.workers)
    device, _ = open_sandbox(target, None, options.build, devices=numbers)
    open_all(device)
    cases = [((case,), EXPECTED) for case in range(options.cases)]
    evaluate(functions(7, 512), cases, device=device)
    wrong = False
    with workers(options.workers, threads) as client:
        for k in range(options.repeat):
            sources = functions(1000 + k, options.programs)
            begun = time.perf_counter()
            here = evaluate(sources, cases, device=device)
            middle = time.perf_counter()
            there = dask.evaluate(
                client, sources, cases, target=options.target, build=options.build
            )
            ended = time.perf_counter()
            same = bool((here.status == there.status).all() and (here.steps == there.steps).all())
            print(
                f"{options.programs} x {options.cases}: one process {middle - begun:.3f} s, "
                f"{options.workers} workers {ended - middle:.3f} s, {same = }",
                flush=True,
            )
            wrong |= not same
    device.close()
    if wrong:
        raise SystemExit("results differ")


if __name__ == "__main__":
    main()
