"""Run a campaign of generated Python programs, in batches on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from attrs import evolve, frozen

from porter.base.files import write_whole
from porter_dev.torture.choices import Choices, reduce
from porter_dev.torture.python.comparison import MODES, Difference, Session, examine, session
from porter_dev.torture.python.program import PythonProgram, generate

BATCH = 40  # programs that are compiled into one library


@frozen
class Differing:
    """A program whose modes differ, as drawn or reduced."""

    seed: str
    index: int
    program: PythonProgram
    difference: Difference


Generator = Callable[[Choices], PythonProgram]


def draw(seed: str, index: int, make: Generator = generate) -> PythonProgram:
    """Generate program `index` of a seed."""
    return make(Choices(f"{seed}/{index}"))


def torture(
    folder: Path,
    seed: str,
    count: int,
    modes: Sequence[str],
    *,
    make: Generator = generate,
    jobs: int | None = None,
    reduced: bool = True,
    shown: Callable[[int], None] = lambda done: None,
) -> list[Differing]:
    """Examine programs 0 to `count` - 1 of a seed.

    Args:
        folder: Folder of a finished build.
        seed: Seed of the programs.
        count: Number of programs.
        modes: Names out of MODES.
        make: Generates a program.
        jobs: Parallel sessions; None for one per core.
        reduced: Whether to reduce the smallest program of each kind of difference.
        shown: Called with the size of each finished batch.

    Returns:
        The differing programs, reduced ones first.
    """
    numbers = [range(at, min(at + BATCH, count)) for at in range(0, count, BATCH)]
    with _sessions(folder, modes, jobs or os.cpu_count() or 1) as (pool, free):

        def batch(some: range) -> list[Differing]:
            with _borrowed(free) as using:
                programs = [draw(seed, number, make) for number in some]
                found = examine(programs, using)
            shown(len(some))
            return [
                Differing(seed, number, program, one)
                for number, program, one in zip(some, programs, found, strict=True)
                if one is not None
            ]

        found = [one for part in pool.map(batch, numbers) for one in part]
        if not reduced:
            return found
        first = _first_of_each(found)
        smaller = list(pool.map(lambda one: _reduced(one, folder, make), first))
        return smaller + [one for one in found if one not in first]


@contextmanager
def _sessions(
    folder: Path, modes: Sequence[str], jobs: int
) -> Iterator[tuple[ThreadPoolExecutor, SimpleQueue[Session]]]:
    free: SimpleQueue[Session] = SimpleQueue()
    every = [session(folder, modes) for _ in range(jobs)]
    for one in every:
        free.put(one)
    try:
        with ThreadPoolExecutor(jobs) as pool:
            yield pool, free
    finally:
        for one in every:
            one.close()


@contextmanager
def _borrowed(free: SimpleQueue[Session]) -> Iterator[Session]:
    one = free.get()
    try:
        yield one
    finally:
        free.put(one)


def _first_of_each(found: Sequence[Differing]) -> list[Differing]:
    """Return the smallest program of each kind of difference; others are probably duplicates."""
    smallest: dict[tuple[str, str], Differing] = {}
    for one in sorted(found, key=lambda one: one.program.size):
        smallest.setdefault(_kind(one.difference), one)
    return list(smallest.values())


def _reduced(one: Differing, folder: Path, make: Generator) -> Differing:
    mode = one.difference.mode
    modes = [mode] if mode in MODES else [] if mode == "cpython" else list(MODES)
    using = session(folder, modes)
    last = one.difference

    def still(program: PythonProgram) -> bool:
        nonlocal last
        (now,) = examine([program], using)
        if now is None or _kind(now) != _kind(one.difference):
            return False
        last = now
        return True

    try:
        program = reduce(one.program, make, still)
    finally:
        using.close()
    return evolve(one, program=program, difference=last)


def _kind(difference: Difference) -> tuple[str, str]:
    return difference.mode, difference.detail.partition(":")[0]


def saved(one: Differing, folder: Path) -> Path:
    """Write the program to a file that runs by itself; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{one.difference.mode}_{one.seed}_{one.index}.py"
    lines = [f"# {line}" for line in one.difference.detail.splitlines()[:6]]
    write_whole(path, "\n".join(lines) + f"\n{one.program.source}")
    return path
