"""Run UNSUPPORTED rows in CPython: make jobs of rows, and statuses of outcomes.

Input: the rows of a portion, as interpreters left them. Output: the same rows; CPython ran each row
that was UNSUPPORTED. `judgement` calls `run_in_cpython` where the options have a fallback.
`porter.fallback` runs the programs. A returned value is compared afterwards: by an interpreter, or
by the caller's function, as the values of interpreters are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from attrs import evolve, field, frozen

from porter.base.exception_record import ExceptionRecord
from porter.errors import LaunchInterrupted
from porter.evaluation.cases import output_limit
from porter.evaluation.options import Judging
from porter.evaluation.portion import Portion
from porter.evaluation.shapes import with_globals
from porter.evaluation.status import PRINTED, CaseStatus
from porter.fallback import Fallback, FallbackOutcome, Job, outcomes
from porter.run.launch.limits import Each

MOST_JOBS = 2048  # programs in memory at a time, with their results
_STATUS = {
    "returned": CaseStatus.WRONG,  # until the value has been compared
    "unreadable": CaseStatus.WRONG,
    "ended": CaseStatus.WRONG,
    "exited": CaseStatus.EXITED,
    "left": CaseStatus.EXITED,
    "raised": CaseStatus.RAISED,
    "exhausted": CaseStatus.OUT_OF_MEMORY,
    "syntax": CaseStatus.SYNTAX_ERROR,
    "no_entry": CaseStatus.NO_ENTRY,
    "late": CaseStatus.OUT_OF_TIME,
    "flooded": CaseStatus.OUT_OF_OUTPUT,
    "died": CaseStatus.BROKEN,
    "malformed": CaseStatus.BROKEN,
    "refused": CaseStatus.UNSUPPORTED,
}
# Compares returned values with the expected ones of cases; changes statuses and reasons of rows.
CompareValues = Callable[["list[tuple[int, int, Any]]"], None]


class LackingRows(Protocol):
    """Rows as `judgement` holds them; lists that were not asked for are empty."""

    @property
    def status(self) -> np.ndarray[Any, Any]:
        """CaseStatus of each row (int8)."""

    @property
    def steps(self) -> np.ndarray[Any, Any]:
        """Steps of each row (int64)."""

    @property
    def outputs(self) -> list[bytes]:
        """Output of each row."""

    @property
    def values(self) -> list[Any]:
        """Value of each row."""

    @property
    def tracebacks(self) -> list[str | None]:
        """Traceback of each row."""

    @property
    def exceptions(self) -> list[ExceptionRecord | None]:
        """Exception of each row."""

    @property
    def stderr(self) -> list[bytes]:
        """Bytes that each row wrote to stderr."""

    @property
    def exit_codes(self) -> list[int | None]:
        """Code of SystemExit of each row."""

    @property
    def reasons(self) -> dict[int, str]:
        """Reasons by row."""


def run_in_cpython(
    portion: Portion,
    how: Judging,
    fallback: Fallback,
    rows: LackingRows,
    compare: CompareValues | None,
) -> np.ndarray[Any, Any]:
    """Run the rows that are UNSUPPORTED in CPython, and replace their results.

    A row that the fallback refuses stays UNSUPPORTED, with the reason. With each="program", a
    process makes all calls of a program up to its last UNSUPPORTED row, because later calls see the
    effects of earlier ones. Results of other rows are not used.

    Args:
        portion: The programs.
        how: The options.
        fallback: The options of the fallback.
        rows: The rows, which are changed.
        compare: Compares (row, case, value) of rows that returned a value; None: the caller
            compares WRONG rows itself.

    Returns:
        Whether CPython judged each row (bool).

    Raises:
        FallbackUnavailable: The machine cannot restrict programs.
        LaunchInterrupted: The options' `cancel` was called.
    """
    ran = np.zeros(len(rows.status), bool)
    lacking = np.flatnonzero(rows.status == CaseStatus.UNSUPPORTED)
    for part in _parts(portion, how, lacking):
        returned = _run(portion, how, fallback, rows, part, ran)
        if compare is not None and returned:
            compare(returned)
    return ran


@frozen
class _Call:
    """The rows that one job runs.

    Attributes:
        program: The program.
        rows: The rows of the job's calls, in order.
        cases: Their cases.
        wanted: Which of them are UNSUPPORTED.
    """

    program: int
    rows: list[int]
    cases: list[int]
    wanted: list[bool] = field(factory=list)


def _parts(portion: Portion, how: Judging, lacking: np.ndarray[Any, Any]) -> list[list[_Call]]:
    """Return the calls of `lacking` rows, in parts of at most MOST_JOBS jobs."""
    ends = np.cumsum(portion.counts)
    programs = np.searchsorted(ends, lacking, side="right")
    starts = (ends - portion.counts)[programs]
    first = portion.first_case[programs]
    whole = how.each == "program" and portion.cases.texts is None
    calls: list[_Call] = []
    for row, program, start, case in zip(
        lacking.tolist(), programs.tolist(), starts.tolist(), first.tolist(), strict=True
    ):
        if not whole:
            calls.append(_Call(program, [row], [case + row - start], [True]))
            continue
        if not calls or calls[-1].program != program:
            calls.append(_Call(program, [], []))
        last = calls[-1]
        for one in range(start + len(last.rows), row + 1):
            last.rows.append(one)
            last.cases.append(case + one - start)
            last.wanted.append(one == row)
    return [calls[at : at + MOST_JOBS] for at in range(0, len(calls), MOST_JOBS)]


def _run(
    portion: Portion,
    how: Judging,
    fallback: Fallback,
    rows: LackingRows,
    calls: list[_Call],
    ran: np.ndarray[Any, Any],
) -> list[tuple[int, int, Any]]:
    """Run `calls`, and return row, case and value of each row that returned a value."""
    jobs = [_job(portion, how, fallback, call) for call in calls]
    cancel = how.cancel
    before = 0 if cancel is None else cancel.requests
    try:
        found = outcomes(fallback, jobs, lambda: cancel is not None and cancel.requests > before)
    except KeyboardInterrupt as error:
        raise LaunchInterrupted(None) from error
    returned = []
    for call, ends in zip(calls, found, strict=True):
        every = zip(call.rows, call.cases, call.wanted, ends, strict=True)
        for row, case, wanted, outcome in every:
            if wanted and _set(portion, how, rows, row, case, outcome):
                ran[row] = True
                if outcome.kind == "returned":
                    returned.append((row, case, outcome.value))
    return [one for one in returned if rows.status[one[0]] == CaseStatus.WRONG]


def _job(portion: Portion, how: Judging, fallback: Fallback, call: _Call) -> Job:
    source, texts = portion.sources[call.program], portion.cases.texts
    made = Job(
        source,
        "",
        (b"",),
        seed=how.seed,
        deadline=_deadline(portion, how, fallback, call.program),
        stdout=_limit(portion, how, call.cases[0]),
        stderr=how.stdout if "stderr" in how.keep else 0,
    )
    if texts is not None:
        return evolve(made, stdin=texts[call.cases[0]].stdin)
    (source,), entry = with_globals((source,), how.entry)
    data, offsets = portion.cases.arguments, portion.cases.argument_offsets
    arguments = [data[int(offsets[case]) : int(offsets[case + 1])] for case in call.cases]
    return evolve(made, source=source, entry=entry, arguments=tuple(arguments))


def _limit(portion: Portion, how: Judging, case: int) -> int:
    """Return the bytes of output that a row of `case` may have."""
    texts = portion.cases.texts
    return how.stdout if texts is None else output_limit(texts[case], how.stdout)


def _deadline(portion: Portion, how: Judging, fallback: Fallback, program: int) -> float:
    """Return the seconds of a call: the evaluation's deadline, or the fallback's without one."""
    deadline = how.deadline
    if isinstance(deadline, Each):
        own = how.limits(portion.first, len(portion.sources), np.array([program]))["deadline"]
        deadline = int(own.values[0]) / 1e9
    return deadline or fallback.deadline


def _set(
    portion: Portion, how: Judging, rows: LackingRows, row: int, case: int, outcome: FallbackOutcome
) -> bool:
    """Replace the result of a row; return whether CPython judged it."""
    if outcome.kind == "refused":
        rows.reasons[row] = f"the fallback does not permit the module {outcome.reason}"
        return False
    status = _STATUS[outcome.kind]
    texts = portion.cases.texts
    printing = texts is not None and texts[case].stdout is not None
    if printing and outcome.kind in ("exited", "left") and outcome.code == 0:
        status = CaseStatus.WRONG  # until the output has been compared
    if outcome.kind == "unreadable" and how.function is not None:
        status = CaseStatus.NOT_COMPARED
    if outcome.printed > _limit(portion, how, case) and status in PRINTED:
        status = CaseStatus.OUT_OF_OUTPUT
    rows.status[row], rows.steps[row] = status, 0
    rows.reasons.pop(row, None)
    if reason := _reason(outcome):
        rows.reasons[row] = reason
    if rows.outputs:
        rows.outputs[row] = outcome.output
    if rows.values:
        rows.values[row] = outcome.value
    if rows.exceptions:
        rows.exceptions[row] = outcome.record
    if rows.tracebacks:
        rows.tracebacks[row] = None if outcome.record is None else outcome.record.traceback
    if rows.stderr:
        report = "" if outcome.record is None else outcome.record.traceback
        rows.stderr[row] = (outcome.stderr + report.encode(errors="backslashreplace"))[: how.stdout]
    if rows.exit_codes:
        exited = texts is not None and outcome.kind in ("exited", "left")
        rows.exit_codes[row] = outcome.code if exited else None
    return True


def _reason(outcome: FallbackOutcome) -> str:
    if outcome.kind == "left":
        return f"the process ended with exit code {outcome.code} before its result"
    if outcome.kind == "exhausted" and outcome.record is not None:
        return f"CPython: {outcome.record}"
    return outcome.reason
