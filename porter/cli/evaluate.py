"""`porter evaluate`: run programs on test cases, each in an interpreter of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from attrs import define, field

from porter.cli._fallback import fallback_options, take_fallback
from porter.cli._options import limit_options, seconds_option, size_option
from porter.cli._progress import show_progress
from porter.cli._subject import devices_option
from porter.cli._types import PathType
from porter.errors import UsageError
from porter.evaluation import Cases, CaseStatus, Judgement, Judging, Tolerance
from porter.evaluation.data_files import (
    AUTO,
    NamedProgram,
    Problems,
    RowWriter,
    count_programs,
    read_cases,
    read_programs,
    rows_of,
    writing,
)
from porter.evaluation.execution import judgements, judging_of, open_sandbox
from porter.evaluation.formats import FORMATS, OWN
from porter.evaluation.options import CLOCK, EACH, KEPT, OUTPUTS, STEPS, batch_of
from porter.evaluation.shapes import with_entry
from porter.fallback.options import DEADLINE
from porter.run.open import Devices


def _judging(values: dict[str, Any]) -> Judging:
    fallback = take_fallback(values)
    tolerance, steps, clock = (values.pop(name) for name in ("tolerance", "max_steps", "clock"))
    return judging_of(
        steps=STEPS if steps is None else steps,
        compare="equal" if tolerance is None else Tolerance(tolerance),
        clock=None if clock == "machine" else _seconds(clock),
        fallback=fallback,
        **{name: value for name, value in values.items() if value is not None},
    )


def _seconds(clock: str | None) -> float:
    try:
        return CLOCK if clock is None else float(clock)
    except ValueError:
        raise UsageError(f"--clock: {clock!r} is neither a number nor 'machine'") from None


UTF8 = ("utf-8", "surrogatepass")  # the interpreter refuses what is no UTF-8


@define
class _Names:
    """Iterable of programs for `portions`, which keeps names until their rows are written.

    A program with an entry of its own gets a line that binds it to the evaluation's `entry`.
    """

    programs: Iterator[NamedProgram]
    shared: bool
    entry: str
    problems: Problems
    names: list[str] = field(factory=list)
    count: int | None = None

    def __length_hint__(self) -> int:
        return self.count or 0

    def __iter__(self) -> Iterator[Any]:
        for program in self.programs:
            if (problem := self._problem(program)) is not None:
                self.problems.add(problem)
                continue
            self.names.append(program.name)
            source = program.source
            if program.entry and program.entry != self.entry:
                text = source if isinstance(source, bytes) else source.encode(*UTF8)
                source = with_entry(text, program.entry, self.entry)
            yield source if self.shared else (source, program.cases)

    def _problem(self, program: NamedProgram) -> str | None:
        if self.shared and program.cases is not None:
            return f"program {program.name} has its own cases, and CASES has more"
        if not self.shared and program.cases is None:
            return f"program {program.name} has no cases, and there is no file CASES"
        if program.entry and "." in self.entry:
            return f"program {program.name} has an entry, and --entry is a method: leave one out"
        return None


MOST_CAUSES = 20  # lines of the summary


@define
class _Sums:
    """Totals for the summary."""

    programs: int = 0
    solved: int = 0
    ends: Counter[CaseStatus] = field(factory=Counter)
    in_cpython: int = 0  # rows that the fallback judged
    causes: Counter[str] = field(factory=Counter)  # programs by cause of UNSUPPORTED rows

    def add(self, judgement: Judgement) -> None:
        """Add the rows of one portion."""
        row = 0
        for count in judgement.counts.tolist():
            part = judgement.status[row : row + count]
            lacking = np.flatnonzero(part == CaseStatus.UNSUPPORTED).tolist()
            self.causes.update({str(judgement.causes[row + case]) for case in lacking})
            self.solved += bool((part == CaseStatus.PASSED).all())
            row += count
        self.programs += len(judgement.counts)
        if judgement.in_cpython is not None:
            self.in_cpython += int(judgement.in_cpython.sum())
        self.ends.update(CaseStatus(status) for status in judgement.status.tolist())

    def lines(self) -> Iterator[str]:
        """Yield a line for the total, for each status, and for each cause of UNSUPPORTED."""
        yield f"{self.programs} programs, {self.ends.total()} calls, {self.solved} solved"
        for status in CaseStatus:
            if self.ends[status]:
                yield f"{self.ends[status]:>10} {status.name}"
        if self.in_cpython:
            yield f"{self.in_cpython:>10} in CPython"
        for cause, count in self.causes.most_common(MOST_CAUSES):
            yield f"{count:>10} {'program' if count == 1 else 'programs'} {cause}"
        if (more := len(self.causes) - MOST_CAUSES) > 0:
            yield f"{more:>10} causes more"


@contextmanager
def _told(total: int | None) -> Iterator[Callable[[int], None]]:
    """Yield a callback that reports the number of finished programs; `total` may be unknown."""
    with show_progress() as progress:
        progress.now("judging programs")
        yield lambda done: progress.step(done, done if total is None else total)


def _judgements_on(
    stack: ExitStack, scheduler: str | None, devices: Devices | None, choice: dict[str, Any]
) -> Callable[..., Iterator[Judgement]]:
    """Return `judgements` bound to a device or to a cluster, which `stack` closes.

    `choice` has target, release and build.
    """
    if scheduler is None:
        device, _ = open_sandbox(**choice, devices=devices)
        stack.callback(device.close)
        return partial(judgements, device)
    if devices is not None:
        raise UsageError("--gpus: workers of --scheduler use their own GPUs")
    from porter.dask import connect  # imports distributed
    from porter.dask.evaluation import judgements as judgements_there

    return partial(judgements_there, stack.enter_context(connect(scheduler)), **choice)


@click.command("evaluate")
@click.argument("programs", type=PathType(exists=True, path_type=Path))
@click.argument("cases", required=False, type=PathType(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--out",
    metavar="FILE",
    type=PathType(dir_okay=False, path_type=Path),
    help="Write a row per program and case: FILE.jsonl or FILE.parquet.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice((AUTO, OWN, *FORMATS)),
    default=AUTO,
    show_default=True,
    help="Format of the lines of PROGRAMS.",
)
@click.option(
    "--entry",
    default="solve",
    show_default=True,
    help="Function to call: NAME, or CLASS.METHOD.",
)
@limit_options
@size_option("--heap", "Python heap per interpreter.")
@size_option("--pystack", "Frame stack per interpreter.")
@size_option("--stack", "C stack per interpreter.")
@size_option(
    "--max-heap",
    "Run calls that lack memory again with 4 times as much, up to this heap; 0: never [12M].",
)
@size_option("--stdout", "Stdout buffer of a call [16K].")
@click.option("--seed", type=int, help="Seed of random numbers, equal for all calls [0].")
@click.option(
    "--clock",
    metavar="SECONDS|machine",
    help="Start of the programs' clock, in seconds since 1970 [2000-01-01].",
)
@click.option("--tolerance", type=float, help="Relative tolerance of floats.")
@click.option(
    "--output",
    type=click.Choice(OUTPUTS),
    help="How printed outputs are compared [lines].",
)
@click.option(
    "--each",
    type=click.Choice(EACH),
    help="Run each case, or each program, in a new interpreter [case].",
)
@click.option("--keep", multiple=True, type=click.Choice(KEPT), help="Also write these columns.")
@click.option(
    "--files",
    type=PathType(exists=True, path_type=Path),
    help="Folder or littlefs2 image to mount at /.",
)
@fallback_options
@seconds_option(
    f"Maximum run time of a call in CPython, without --deadline [{DEADLINE:g}].",
    name="--fallback-deadline",
)
@click.option("--batch", type=int, help="Programs per launch [chosen from free memory].")
@click.option("--release", metavar="R", help="Upstream release [newest in the lock].")
@click.option(
    "--target", type=click.Choice(("host", "cuda")), help="Target [the GPU if there is one]."
)
@click.option("--build", type=PathType(path_type=Path), help="Use this finished build.")
@devices_option
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run on the workers of this Dask scheduler: tcp://10.0.0.1:8786.",
)
def command(
    programs: Path,
    cases: Path | None,
    out: Path | None,
    batch: int | None,
    release: str | None,
    target: str | None,
    build: Path | None,
    devices: Devices | None,
    scheduler: str | None,
    form: str,
    **options: Any,
) -> None:
    """Judge PROGRAMS on test CASES: call a function of each program and compare the results.

    PROGRAMS is a folder of .py files, or a file of JSON lines: texts, {"source", "id", "cases",
    "entry", "test"}, or tasks of HumanEval, MBPP, or sets like LiveCodeBench and APPS. CASES is a
    file of JSON lines: {"args": [...], "kwargs": {...}, "expected": ...}, [args, expected], or
    {"stdin": text, "stdout": text}. Lines that are no programs are reported in the end.

    Programs run in a sandbox. A failing program is no error of this command: its rows have the
    status.
    """
    how = _judging(options)
    most = batch_of(batch)
    shared = None if cases is None else Cases.of(read_cases(cases), str(cases))
    total = count_programs(programs)
    problems = Problems()
    given = read_programs(programs, form, problems)
    named = _Names(given, shared is not None, how.entry, problems, count=total)
    sums = _Sums()
    with ExitStack() as stack:
        writer: RowWriter | None = None
        if out is not None:
            writer = stack.enter_context(writing(out, how.keep, engine=how.fallback is not None))
        choice = {"target": target, "release": release, "build": build}
        judge = _judgements_on(stack, scheduler, devices, choice)
        progress = stack.enter_context(_told(total))
        for judgement in judge(named, shared, how, batch=most, progress=progress):
            count = len(judgement.counts)
            if writer is not None:
                writer.add(rows_of(judgement, named.names[:count]))
            del named.names[:count]
            sums.add(judgement)
        if not sums.programs:
            problems.check()
    for line in sums.lines():
        click.echo(line)
    problems.check()
