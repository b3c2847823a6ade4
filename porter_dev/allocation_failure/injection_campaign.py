"""Run failure injections: first all programs without failures, then one per allocation.

The results become a table and JSON.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs
from rich.console import Console
from rich.table import Table

from porter.base.untrusted import printable_text
from porter_dev.allocation_failure.injection import (
    Effect,
    InjectedProgram,
    Injection,
    JudgedTrial,
    judge,
)
from porter_dev.allocation_failure.injection_runner import InjectionRunner
from porter_dev.allocation_failure.subjects import passing

NEIGHBOUR_EVERY = 64  # one of 64 interpreters has no failing allocation and must not be affected


@attrs.frozen
class ProgramEffects:
    """The injections of one program.

    Attributes:
        name: Program.
        allocations: Number of allocations that it makes.
        stride: Distance between failing allocations.
        counts: Number of injections by effect.
    """

    name: str
    allocations: int
    stride: int
    counts: dict[Effect, int]


@attrs.frozen
class InjectionResults:
    """The results of a sweep.

    Attributes:
        rows: Results by program.
        bad: Injections that the sweep does not accept.
        left: Programs left out because they do not pass without failures.
        seconds: Wall-clock time.
        neighbours: Number of interpreters without a failing allocation.
        others: Injections that ended with an exception other than MemoryError.
    """

    rows: list[ProgramEffects]
    bad: list[JudgedTrial]
    left: list[str]
    seconds: float
    neighbours: int
    others: list[JudgedTrial] = attrs.field(factory=list)

    @property
    def interpreters(self) -> int:
        """Number of interpreters in which an allocation failed."""
        return sum(sum(row.counts.values()) for row in self.rows)

    def total(self, verdict: Effect) -> int:
        """Return the number of interpreters with this effect."""
        return sum(row.counts.get(verdict, 0) for row in self.rows)


def inject_failures(
    subjects: Sequence[InjectedProgram],
    runner: InjectionRunner,
    *,
    limit: int = 0,
    most: int = 0,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> InjectionResults:
    """Fail every allocation of each of ``subjects``, each in an interpreter of its own.

    Args:
        subjects: Programs.
        runner: Runs the injections.
        limit: Maximum number of interpreters per program, approximately, evenly spread over its
            allocations; 0: one for every allocation.
        most: Maximum number of programs, evenly chosen; 0: all. The rest is not even compiled.
        progress: Called with the phase, the number of finished injections, and the total.
    """
    start = time.monotonic()
    if 0 < most < len(subjects):
        subjects = [subjects[i * len(subjects) // most] for i in range(most)]
    undisturbed = [Injection(subject.name, subject.source) for subject in subjects]
    progress("programs", 0, len(undisturbed))
    ready = passing(subjects, runner.run(undisturbed))
    left = sorted({s.name for s in subjects} - {s.name for s, _ in ready})
    plan = [(subject, made, _stride(made, limit)) for subject, made in ready]
    injections = list(_injections(plan))
    done = 0

    def more(count: int) -> None:
        nonlocal done
        done += count
        progress("allocations", done, len(injections))

    progress("allocations", 0, len(injections))
    endings = runner.run([injection for _, injection in injections], more)
    runner.close()
    counts: dict[str, dict[Effect, int]] = {subject.name: {} for subject, _, _ in plan}
    bad: list[JudgedTrial] = []
    others: list[JudgedTrial] = []
    neighbours = 0
    for (subject, injection), ending in zip(injections, endings, strict=True):
        verdict = judge(subject, injection, ending)
        if injection.fail == 0:
            neighbours += 1
        else:
            counts[subject.name][verdict] = counts[subject.name].get(verdict, 0) + 1
        if not verdict.good:
            bad.append(JudgedTrial(injection, verdict, ending))
        elif verdict is Effect.OTHER_EXCEPTION:
            others.append(JudgedTrial(injection, verdict, ending))
    rows = [ProgramEffects(s.name, made, stride, counts[s.name]) for s, made, stride in plan]
    return InjectionResults(rows, bad, left, time.monotonic() - start, neighbours, others)


def _stride(made: int, limit: int) -> int:
    return max(1, -(-made // limit)) if limit else 1


def _injections(
    plan: Sequence[tuple[InjectedProgram, int, int]],
) -> Iterator[tuple[InjectedProgram, Injection]]:
    """Yield all injections. The last one of a program lies beyond the program's allocations."""
    number = 0
    for subject, made, stride in plan:
        for fail in (*range(1, made + 1, stride), made + 1):
            if number % NEIGHBOUR_EVERY == 0:
                yield subject, Injection(subject.name, subject.source)
            yield subject, Injection(subject.name, subject.source, fail)
            number += 1


SHOWN = 20  # maximum number of bad injections to print


def to_json(results: InjectionResults, about: dict[str, Any]) -> dict[str, Any]:
    """Return the result as JSON; ``about`` describes the programs and the device."""
    return {
        **about,
        "programs": len(results.rows),
        "interpreters": results.interpreters,
        "neighbours": results.neighbours,
        "seconds": round(results.seconds, 1),
        "outcomes": {verdict.value: results.total(verdict) for verdict in Effect},
        "not_swept": results.left,
        "bad": [_judged(judged) for judged in results.bad],
        "other_exceptions": [_judged(judged) for judged in results.others],
        "rows": [
            {
                "program": row.name,
                "allocations": row.allocations,
                "stride": row.stride,
                **{verdict.value: count for verdict, count in row.counts.items()},
            }
            for row in results.rows
        ],
    }


def _judged(judged: JudgedTrial) -> dict[str, Any]:
    ending = judged.ending
    return {
        "program": judged.injection.name,
        "fail": judged.injection.fail,
        "verdict": judged.verdict.value,
        "status": ending.status,
        "note": ending.note,
        "allocations": ending.allocations,
        "stdout": printable_text(ending.stdout[-400:]),
        "stderr": printable_text(ending.stderr[-400:]),
    }


def show(results: InjectionResults, console: Console) -> None:
    """Print the outcomes per folder of programs, and the first bad injections."""
    folders: dict[str, dict[Effect, int]] = defaultdict(lambda: defaultdict(int))
    programs: dict[str, int] = defaultdict(int)
    for row in results.rows:
        folder = row.name.rpartition("/")[0] or "."
        programs[folder] += 1
        for verdict, count in row.counts.items():
            folders[folder][verdict] += count
    shown = [v for v in Effect if v.good or results.total(v)]
    table = Table("programs", "", "interpreters", *(v.value for v in shown))
    for folder in sorted(folders):
        counts = folders[folder]
        cells = [str(counts[v]) for v in shown]
        table.add_row(folder, str(programs[folder]), str(sum(counts.values())), *cells)
    if len(folders) > 1:
        cells = [str(results.total(v)) for v in shown]
        table.add_row("all", str(len(results.rows)), str(results.interpreters), *cells)
    console.print(table)
    strided = sum(row.stride > 1 for row in results.rows)
    console.print(
        f"{results.neighbours} undisturbed neighbours; {len(results.left)} programs not swept"
        f"{f'; {strided} programs with a stride' if strided else ''}; {results.seconds:.0f} s"
    )
    for judged in results.bad[:SHOWN]:
        injection, ending = judged.injection, judged.ending
        last = printable_text((ending.stderr.splitlines() or [b""])[-1])
        console.print(
            f"{judged.verdict.value}: {injection.name}, allocation {injection.fail}: "
            f"{ending.status} {ending.note} {last}",
            highlight=False,
            markup=False,
        )
