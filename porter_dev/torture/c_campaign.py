"""Run a campaign of generated programs, in batches on all cores; called by `porter torture`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

from porter.base.files import write_whole
from porter.base.process import begin_worker, kill_workers
from porter.errors import UsageError
from porter_dev.torture.batch import Finding, examine
from porter_dev.torture.choices import Choices, reduce
from porter_dev.torture.program import CProgram, generate

BATCH = 20  # programs that share a process; program.py has keywords for this many


@frozen
class Found:
    """A finding of a campaign, with its program: as drawn, or reduced."""

    seed: str
    index: int
    program: CProgram
    finding: Finding
    lines: int


def draw(seed: str, index: int) -> CProgram:
    """Generate program `index` of a seed."""
    return generate(index, Choices(f"{seed}/{index}"))


def torture(
    seed: str,
    count: int,
    *,
    jobs: int | None = None,
    reduced: bool = True,
    optimise: str = "-O1",
    shown: Callable[[int], None] = lambda done: None,
) -> list[Found]:
    """Examine programs 0 to `count` - 1 of a seed.

    Args:
        seed: Seed of the programs.
        count: Number of programs.
        jobs: Worker processes; None for one per core.
        reduced: Whether to reduce the smallest program of each kind of finding.
        optimise: Optimisation level of both compilers.
        shown: Called with the size of each finished batch.

    Returns:
        The findings, reduced ones first.
    """
    batches = [range(at, min(at + BATCH, count)) for at in range(0, count, BATCH)]
    found: list[Found] = []
    with _workers(jobs) as pool:
        running = {pool.submit(_batch, seed, batch, optimise): batch for batch in batches}
        for future in as_completed(running):
            found += future.result()
            shown(len(running[future]))
        found.sort(key=lambda one: one.index)
        if reduced:
            found = list(pool.map(_reduced, _first_of_each(found))) + _rest(found)
    return found


@contextmanager
def _workers(jobs: int | None) -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(jobs or os.cpu_count() or 1, initializer=begin_worker) as pool:
        try:
            yield pool
        except BaseException:
            kill_workers(pool)
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _first_of_each(found: Sequence[Found]) -> list[Found]:
    """Return the smallest program of each kind of finding; the others are probably duplicates."""
    smallest: dict[tuple[str, str], Found] = {}
    for one in sorted(found, key=lambda one: one.lines):
        smallest.setdefault((one.finding.kind, one.finding.about), one)
    return list(smallest.values())


def _rest(found: Sequence[Found]) -> list[Found]:
    first = {one.index for one in _first_of_each(found)}
    return [one for one in found if one.index not in first]


def _batch(seed: str, numbers: range, optimise: str) -> list[Found]:
    programs = [draw(seed, number) for number in numbers]
    with _folder() as folder:
        findings = examine(programs, folder, optimise)
    return [
        _found(seed, number, program, findings[program.name])
        for number, program in zip(numbers, programs, strict=True)
        if program.name in findings
    ]


def _found(seed: str, index: int, program: CProgram, finding: Finding) -> Found:
    lines = program.header.count("\n") + sum(unit.count("\n") for unit in program.units)
    return Found(seed, index, program, finding, lines)


def _reduced(one: Found) -> Found:
    with _folder() as folder:

        def still(program: CProgram) -> bool:
            now = examine([program], folder).get(program.name)
            return now is not None and (now.kind, now.about) == (
                one.finding.kind,
                one.finding.about,
            )

        program = reduce(one.program, partial(generate, one.index), still)
        finding = examine([program], folder).get(program.name, one.finding)
    return _found(one.seed, one.index, program, finding)


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="porter-torture-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def saved(one: Found, folder: Path) -> Path:
    """Write a finding to one file, which `replay` and tests/torture read; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{one.finding.kind}-{one.seed}-{one.index}.c"
    parts = [f"// {one.finding.kind}: {line}" for line in one.finding.detail.splitlines()[:4]]
    parts += [f"// seed {one.seed}, program {one.index}", "// header"]
    parts += [one.program.header.rstrip(), "// first", one.program.units[0].rstrip()]
    parts += ["// second", one.program.units[1].rstrip()]
    write_whole(path, "\n".join(parts) + "\n")
    return path


def read_saved(path: Path) -> CProgram:
    """Read the program of a file that `saved` wrote.

    Raises:
        UsageError: The file lacks one of the three parts.
    """
    parts = re.split(r"^// (?:header|first|second)$\n", path.read_text(), flags=re.MULTILINE)
    entry = re.search(
        r"^void (p\d+)_run\(void\)", parts[-2] if len(parts) == 4 else "", re.MULTILINE
    )
    if entry is None:
        raise UsageError(f"{path}: not a program that `porter torture` kept")
    return CProgram(entry[1], parts[1], (parts[2], parts[3]), ())


def replay(path: Path) -> Found | None:
    """Examine a saved program again; return None if it has no fault any more."""
    program = read_saved(path)
    with _folder() as folder:
        finding = examine([program], folder).get(program.name)
    return None if finding is None else _found(path.stem, 0, program, finding)
