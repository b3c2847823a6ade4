"""Run a sweep: first all programs without failures, then one injection per failing allocation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import attrs

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
    """Yield all injections. A program's last one is beyond its allocations, so none fails in it."""
    number = 0
    for subject, made, stride in plan:
        for fail in (*range(1, made + 1, stride), made + 1):
            if number % NEIGHBOUR_EVERY == 0:
                yield subject, Injection(subject.name, subject.source)
            yield subject, Injection(subject.name, subject.source, fail)
            number += 1
