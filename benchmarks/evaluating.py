"""Time `porter.evaluate` and a pool of CPython processes that does the same work.

    python benchmarks/evaluating.py [--programs 4096] [--cases 64] [--build FOLDER] [--target T]
        [--small] [--each case|program] [--devices 0,1] [--batch PROGRAMS]
        [--file JSONL [--copies 400]]

The programs come from porter_dev/candidates.py and are all different. With --small they have
four lines. The pool has a process per core. Each process compiles a program once, executes it, and
compares the result of `solve` for each case. The times include compiling on both sides, but
neither starting processes nor opening the device. With --file the programs are those of a set with
tests, such as HumanEval, with a comment that makes the copies differ. A second reference runs each
program of the set in a process of its own, one per core at a time. The sum of all calls' steps
shows whether two runs did the same work, also on several GPUs.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

from porter import evaluate
from porter.evaluation.data_files import read_programs
from porter.evaluation.devices import open_all
from porter.evaluation.execution import Opened, open_sandbox
from porter_dev.candidates import functions

EXPECTED = 0


def judged(work: tuple[Sequence[str], int]) -> list[list[bool]]:
    """Return, for each source, which of the first cases it passes; run in this process."""
    sources, cases = work
    return [passed(compile(source, "<program>", "exec"), cases) for source in sources]


def each_small(count: int) -> Iterator[str]:
    """Yield `count` different programs of four lines; the first of each two is right for case 0."""
    for i in range(count):
        yield f"def solve(x):\n    a = x * {i} + {i % 2}\n    b = a % {i % 97 + 2}\n    return b\n"


def small(count: int) -> list[str]:
    """Return the programs of each_small()."""
    return list(each_small(count))


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


def opened(options: argparse.Namespace) -> tuple[Opened, str]:
    """Open the devices, and return them with a word about bounds checks."""
    device, _ = open_sandbox(options.target, None, options.build, devices=options.devices)
    open_all(device)
    return device, "with" if device.built.bounds_checks else "without"


def ends(source: bytes) -> bool:
    """Return whether a whole program ends without an exception; run in this process."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, "<program>", "exec"), {"__name__": "__main__"})
    except BaseException:
        return False
    return True


def ends_alone(source: bytes) -> bool:
    """Return whether a whole program ends without an exception, in a process of its own."""
    command = [sys.executable, "-"]
    return subprocess.run(command, input=source, capture_output=True, check=False).returncode == 0


def judge_file(options: argparse.Namespace) -> None:
    """Time the programs of a set with tests."""
    found = list(read_programs(options.file))
    texts = [p.source if isinstance(p.source, bytes) else p.source.encode() for p in found]
    sources = [text + b"\n# %d\n" % k for k in range(options.copies) for text in texts]
    cores = os.cpu_count() or 1
    with multiprocessing.Pool(cores) as pool:
        pool.map(ends, texts[:cores])
        begun = time.perf_counter()
        pool.map(ends, sources, chunksize=16)
        print(f"{len(sources)} programs")
        print(f"CPython, {cores} processes: {time.perf_counter() - begun:.3f} s")
    with ThreadPool(cores) as threads:
        begun = time.perf_counter()
        threads.map(ends_alone, texts)
        seconds = (time.perf_counter() - begun) * options.copies
        print(f"CPython, a process per program: {seconds:.3f} s (from the first copy)")
    device, checks = opened(options)
    evaluate(zip(texts, (p.cases for p in found), strict=True), device=device)
    cases = [p.cases for _ in range(options.copies) for p in found]
    begun = time.perf_counter()
    result = evaluate(zip(sources, cases, strict=True), device=device, batch=options.batch)
    seconds = time.perf_counter() - begun
    passed = int(result.passed.sum())
    print(
        f"{device.name} {checks} bounds checks: {seconds:.3f} s, {passed} of {len(sources)} passed"
    )
    device.close()


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
    parser.add_argument("--file", type=Path, help="a set of programs with tests")
    parser.add_argument("--copies", type=int, default=1, help="of the programs in --file")
    options = parser.parse_args()
    if options.file is not None:
        judge_file(options)
        return
    sources = small(options.programs) if options.small else functions(3, options.programs)
    cores = os.cpu_count() or 1
    parts = [(sources[i :: 8 * cores], options.cases) for i in range(8 * cores)]
    with multiprocessing.Pool(cores) as pool:
        pool.map(judged, [(sources[:8], 1)] * cores)
        begun = time.perf_counter()
        expected = pool.map(judged, parts)
        reference = time.perf_counter() - begun
    print(f"{len(sources)} programs x {options.cases} cases")
    print(f"CPython, {cores} processes: {reference:.3f} s")
    device, checks = opened(options)
    cases = [((case,), EXPECTED) for case in range(options.cases)]
    for each in [options.each] if options.each else ["case", "program"]:
        evaluate(sources[:512], cases, device=device, each=each)
        begun = time.perf_counter()
        found = evaluate(sources, cases, device=device, each=each, batch=options.batch)
        seconds = time.perf_counter() - begun
        same = all(found.passed[i :: 8 * cores].tolist() == rows for i, rows in enumerate(expected))
        ratio = f"{reference / seconds:.2f} x"
        steps = int(found.steps.sum())
        name = f"{device.name} {checks} bounds checks, {each = }"
        print(f"{name}: {seconds:.3f} s, {ratio}, {same = }")
        print(f"{steps = }", flush=True)
    device.close()


if __name__ == "__main__":
    main()
