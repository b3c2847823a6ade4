"""Time `porter.evaluate` and a pool of CPython processes that does the same work.

    python benchmarks/evaluating.py [--programs 4096] [--cases 64] [--build FOLDER] [--target T]
        [--small] [--each case|program] [--devices 0,1] [--batch PROGRAMS]

The programs come from porter_dev/bench/candidates.py and are all different. With --small they have
four lines. The pool has a process per core. Each process compiles a program once, executes it, and
compares the result of `solve` for each case. The times include compiling on both sides, but
neither starting processes nor opening the device. The sum of all calls' steps shows whether two
runs did the same work, also on several GPUs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections.abc import Sequence
from typing import Any

from porter import evaluate
from porter.evaluation.devices import MixedDevices
from porter.evaluation.execution import open_sandbox
from porter_dev.bench.candidates import programs

EXPECTED = 0


def judged(work: tuple[Sequence[str], int]) -> list[list[bool]]:
    """Return, for each source, which of the first cases it passes; run in this process."""
    sources, cases = work
    return [passed(compile(source, "<program>", "exec"), cases) for source in sources]


def small(count: int) -> list[str]:
    """Return `count` different programs of four lines; half of them are right for case 0."""
    return [
        f"def solve(x):\n    a = x * {i} + {i % 2}\n    b = a % {i % 97 + 2}\n    return b\n"
        for i in range(count)
    ]


def passed(code: Any, cases: int) -> list[bool]:
    """Return, for each case, whether the program passes it."""
    names: dict[str, Any] = {}
    exec(code, names)
    row = []
    for case in range(cases):
        try:
            row.append(bool(names["solve"](case) == EXPECTED))
        except Exception:
            row.append(False)
    return row


def main() -> None:
    """Print the times and whether both sides agree."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=4096)
    parser.add_argument("--cases", type=int, default=64)
    parser.add_argument("--build")
    parser.add_argument("--target")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--each", choices=["case", "program"])
    parser.add_argument("--devices", help="numbers of GPUs, as 0,1")
    parser.add_argument("--batch", type=int, help="programs of one launch")
    options = parser.parse_args()
    if options.small:
        sources = small(options.programs)
    else:
        texts = programs(3, options.programs)
        sources = [text[: text.index("\ntry:")] + "\n" for text in texts]
    cores = os.cpu_count() or 1
    parts = [(sources[i :: 8 * cores], options.cases) for i in range(8 * cores)]
    with multiprocessing.Pool(cores) as pool:
        pool.map(judged, [(sources[:8], 1)] * cores)
        begun = time.perf_counter()
        expected = pool.map(judged, parts)
        reference = time.perf_counter() - begun
    print(f"{len(sources)} programs x {options.cases} cases")
    print(f"CPython, {cores} processes: {reference:.3f} s")
    device, _ = open_sandbox(options.target, None, options.build, devices=options.devices)
    cases = [((case,), EXPECTED) for case in range(options.cases)]
    if isinstance(device, MixedDevices):
        device.open()
    checks = "with" if device.built.bounds_checks else "without"
    for each in [options.each] if options.each else ["case", "program"]:
        evaluate(sources[:512], cases, device=device, each=each)
        begun = time.perf_counter()
        found = evaluate(sources, cases, device=device, each=each, batch=options.batch)
        seconds = time.perf_counter() - begun
        same = all(found.passed[i :: 8 * cores].tolist() == rows for i, rows in enumerate(expected))
        ratio = f"{reference / seconds:.2f} x"
        steps = int(found.steps.sum())
        print(f"{device.name} {checks} bounds checks, each={each!r}: {seconds:.3f} s, {ratio}, {same = }")
        print(f"{steps = }", flush=True)
    device.close()


if __name__ == "__main__":
    main()
