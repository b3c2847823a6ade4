"""Judge programs from a generator, and print how much memory the process uses meanwhile.

    python -m benchmarks.evaluating_memory [--programs 10000000] [--target host] [--build FOLDER]

The programs have four lines, are all different, and exist only while they are judged. Results are
counted and dropped. Each line has the programs that are done, the seconds, the resident memory of
this process in MiB, and the number that passed, which is compared with arithmetic at the end.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np

from benchmarks.evaluating import EXPECTED, each_small
from porter.evaluation.cases import Cases
from porter.evaluation.execution import judgements, judging_of, open_sandbox
from porter.evaluation.status import CaseStatus

TENTHS = 10  # lines of the output


def resident() -> float:
    """Return the resident memory of this process, in MiB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    """Print a line per tenth of the programs.

    Raises:
        SystemExit: A number of passed programs is wrong.
    """
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=10_000_000)
    parser.add_argument("--target", choices=("host", "cuda"), help="[all devices]")
    parser.add_argument("--build", help="a finished build [bounds-checked]")
    options = parser.parse_args()
    device, _ = open_sandbox(options.target, None, options.build)
    begun, done, passed, shown = time.perf_counter(), 0, 0, 0
    print(f"{'programs':>10}  {'s':>7}  {'MiB':>7}  {'passed':>9}")
    cases = Cases.of([((0,), EXPECTED)])
    for judgement in judgements(device, each_small(options.programs), cases, judging_of()):
        done += len(judgement.counts)
        passed += int(np.count_nonzero(judgement.status == CaseStatus.PASSED))
        if done * TENTHS // options.programs > shown:
            shown = done * TENTHS // options.programs
            seconds = time.perf_counter() - begun
            print(f"{done:>10}  {seconds:>7.1f}  {resident():>7.0f}  {passed:>9}", flush=True)
    if passed != (expected := (options.programs + 1) // 2):
        raise SystemExit(f"{passed} programs passed, {expected} should")


if __name__ == "__main__":
    main()
