"""Time `porter.evaluate` on cores, a GPU and both, for the workloads of the lab book's table.

    python -m benchmarks.evaluating_table --build FOLDER [--file HumanEval.jsonl] [--only NAME]
        [--devices cuda host all]

The workloads are 4,096 and 32,768 programs with 64 cases, 262,144 programs of 10 to 24 lines, a
million programs of four lines, and the programs of a set with tests, 1, 20 and 100 times, with a
comment that makes the copies differ. All programs are new to the devices. Every result is compared
with that of CPython, a pool of processes without a sandbox, one per core. For the set, a second
reference runs each program in a process of its own. Times include compiling. They exclude opening
devices and starting processes.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from multiprocessing.pool import Pool, ThreadPool
from pathlib import Path
from typing import Any

import numpy as np
from attrs import field, frozen

from benchmarks.evaluating import EXPECTED, ends, ends_alone, small
from benchmarks.evaluating_scale import Reference
from porter import evaluate
from porter.evaluation.data_files import read_programs
from porter.evaluation.devices import open_all
from porter.evaluation.execution import open_sandbox
from porter_dev.candidates import functions

COPIES = (1, 20, 100)  # of the programs of a set
TARGETS = {"cuda": "cuda", "host": "host", "all": None}


@frozen
class Workload:
    """Programs, and what CPython says of them.

    Attributes:
        name: A name for the output.
        sources: The programs.
        cases: Cases for all programs, or each program's own.
        shared: Whether the cases are those of all programs.
        passed: Which of its cases each program passes, by CPython (bool).
    """

    name: str
    sources: Sequence[str] = field(repr=False)
    cases: Sequence[Any] = field(repr=False)
    shared: bool
    passed: np.ndarray[Any, Any] = field(repr=False)

    def judge(self, device: Any, mark: str) -> tuple[float, bool]:
        """Return the seconds on a device, and whether the results are CPython's.

        Args:
            device: An open device.
            mark: A text that makes the programs new to it.
        """
        new = [f"{source}\n# {mark}\n" for source in self.sources]
        begun = time.perf_counter()
        if self.shared:
            found = evaluate(new, self.cases, device=device)
        else:
            found = evaluate(zip(new, self.cases, strict=True), device=device)
        seconds = time.perf_counter() - begun
        return seconds, bool(np.array_equal(found.passed, self.passed))


def timed(name: str, work: Callable[[], Any]) -> Any:
    """Do `work`, print the seconds, and return its result."""
    begun = time.perf_counter()
    found = work()
    print(f"{name}: {time.perf_counter() - begun:.4f} s", flush=True)
    return found


def generated(reference: Reference, name: str, sources: Sequence[str], cases: int) -> Workload:
    """Make a workload of functions, and time CPython."""
    seconds, passed = reference.run(sources, cases)
    print(f"{name}, CPython: {seconds:.4f} s", flush=True)
    pairs = [((case,), EXPECTED) for case in range(cases)]
    return Workload(name, sources, pairs, True, passed)


def of_set(pool: Pool, path: Path, copies: int) -> Workload:
    """Make a workload of a set with tests, and time CPython."""
    found = list(read_programs(path))
    texts = [
        one.source.decode() if isinstance(one.source, bytes) else one.source for one in found
    ] * copies
    sources = [f"{text}\n# {k}\n" for k, text in enumerate(texts)]
    encoded = [source.encode() for source in sources]
    name = f"{path.name} x {copies}"
    ended = timed(f"{name}, CPython", lambda: pool.map(ends, encoded, chunksize=8))
    if copies == 1:
        with ThreadPool(os.cpu_count()) as threads:
            timed(f"{name}, a process per program", lambda: threads.map(ends_alone, encoded))
    cases = [one.cases for one in found] * copies
    return Workload(name, sources, cases, False, np.array(ended)[:, None])


def programs(pool: Pool, count: int, seed: int) -> list[str]:
    """Return `count` programs of 10 to 24 lines, written on all cores."""
    parts = 16
    found = pool.starmap(functions, [(seed + k, count // parts) for k in range(parts)])
    return [source for part in found for source in part]


def workloads(reference: Reference, only: str, path: Path | None, scale: int) -> list[Workload]:
    """Return the workloads whose names contain `only`; `scale` divides their sizes."""
    pool = reference.pool
    made: dict[str, Callable[[str], Workload]] = {
        "4096 x 64": lambda n: generated(reference, n, programs(pool, 4096 // scale, 1_000), 64),
        "32768 x 64": lambda n: generated(reference, n, programs(pool, 32768 // scale, 2_000), 64),
        "262144 x 1": lambda n: generated(reference, n, programs(pool, 262144 // scale, 3_000), 1),
        "1000000 of four lines": lambda n: generated(reference, n, small(1_000_000 // scale), 1),
    }
    found = [make(name) for name, make in made.items() if only in name]
    if path is not None and only in path.name:
        found += [of_set(pool, path, copies) for copies in COPIES]
    return found


def main() -> None:
    """Print the times of all workloads on all devices.

    Raises:
        SystemExit: Results differ from CPython's.
    """
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", help="a finished build [bounds-checked]")
    parser.add_argument("--file", type=Path, help="a set of programs with tests")
    parser.add_argument("--only", default="", help="workloads whose names contain this text")
    parser.add_argument("--devices", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--scale", type=int, default=1, help="divides the numbers of programs")
    options = parser.parse_args()
    reference = Reference()
    reference.run(small(8 * reference.cores), 1)
    found = workloads(reference, options.only, options.file, options.scale)
    reference.pool.terminate()
    wrong = False
    for target in options.devices:
        device, _ = open_sandbox(TARGETS[target], None, options.build)
        open_all(device)
        evaluate(small(512), [((0,), 0)], device=device)
        for one in found:
            seconds, same = one.judge(device, target)
            print(f"{one.name}, {device.name}: {seconds:.4f} s, {same = }", flush=True)
            wrong |= not same
        device.close()
    if wrong:
        raise SystemExit("results differ from CPython's")


if __name__ == "__main__":
    main()
