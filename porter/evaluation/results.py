"""The result of an evaluation: arrays by program and case, and a table of them for notebooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import Factory, field, frozen
from markupsafe import Markup

from porter.base import markup
from porter.base.exception_record import ExceptionRecord
from porter.errors import UsageError
from porter.evaluation.judgement import Judgement
from porter.evaluation.options import KEPT
from porter.evaluation.status import CaseStatus
from porter.evaluation.unsupported import Cause

MOST_CASES = 64
COLOURS = {
    CaseStatus.PASSED: "#2e7d32",
    CaseStatus.WRONG: "#c62828",
    CaseStatus.RAISED: "#ef6c00",
    CaseStatus.EXITED: "#f9a825",
    CaseStatus.SYNTAX_ERROR: "#6d4c41",
    CaseStatus.NO_ENTRY: "#8d6e63",
    CaseStatus.OUT_OF_STEPS: "#1565c0",
    CaseStatus.OUT_OF_TIME: "#0277bd",
    CaseStatus.OUT_OF_MEMORY: "#6a1b9a",
    CaseStatus.OUT_OF_OUTPUT: "#ad1457",
    CaseStatus.BROKEN: "#000000",
    CaseStatus.NO_CASE: "#eeeeee",
    CaseStatus.NOT_COMPARED: "#546e7a",
    CaseStatus.UNSUPPORTED: "#00838f",
}


def html_table(caption: str, rows: Sequence[tuple[str, str, Any, Any]], *, left_out: int) -> Markup:
    """Render rows as HTML.

    Args:
        caption: A line above the table.
        rows: Name, score, steps, and statuses of the cases.
        left_out: Number of programs that are not shown.
    """
    cells = [
        (name, score, steps, _squares(statuses.tolist())) for name, score, steps, statuses in rows
    ]
    found = markup.note(caption) + markup.table(cells, ("program", "score", "steps", "cases"))
    return found + markup.note(f"and {left_out} programs more") if left_out > 0 else found


def _squares(statuses: Sequence[int]) -> Markup:
    more = " ..." if len(statuses) > MOST_CASES else ""
    return Markup("").join(map(_square, statuses[:MOST_CASES])) + more


def _square(status: int) -> Markup:
    name, colour = CaseStatus(status).name, COLOURS[CaseStatus(status)]
    return Markup('<span title="{}" style="color:{}">&#9632;</span>').format(name, colour)


MOST_SHOWN = 20  # rows of a notebook's table


@frozen(eq=False, slots=False)
class Evaluation:
    """The outcome of each program p and case c.

    Attributes:
        status: CaseStatus (int8) of shape (programs, cases). Where programs have their own cases,
            the largest number of cases determines the columns, and the remaining entries are
            NO_CASE.
        steps: Steps (int64) of the same shape.
        outputs: For each program a list with an output (bytes) per case; None where not asked for.
        values: Returned values, likewise.
        tracebacks: Tracebacks (str), likewise.
        names: The programs' names, where they have any.
        reasons: By program and case, why a returned value could not be fetched or compared, or
            which sizes were tried before the case was OUT_OF_MEMORY.
        exceptions: Exceptions (ExceptionRecord), in lists like `outputs`.
        causes: By program and case that was UNSUPPORTED in its interpreter, what CPython has and
            the interpreter lacks.
        in_cpython: Whether the fallback judged each case (bool), of the same shape as `status`.
        stderr: Bytes written to stderr, in lists like `outputs`.
        exit_codes: Code of SystemExit of each whole program (int), None without one, likewise.
    """

    status: np.ndarray[Any, Any] = field(repr=False)
    steps: np.ndarray[Any, Any] = field(repr=False)
    outputs: list[list[bytes]] | None = field(default=None, repr=False)
    values: list[list[Any]] | None = field(default=None, repr=False)
    tracebacks: list[list[str | None]] | None = field(default=None, repr=False)
    names: tuple[str, ...] | None = field(default=None, repr=False)
    reasons: dict[tuple[int, int], str] = field(factory=dict, repr=False)
    exceptions: list[list[ExceptionRecord | None]] | None = field(default=None, repr=False)
    causes: dict[tuple[int, int], Cause] = field(factory=dict, repr=False)
    in_cpython: np.ndarray[Any, Any] = field(
        default=Factory(lambda self: np.zeros(self.status.shape, bool), takes_self=True), repr=False
    )
    stderr: list[list[bytes]] | None = field(default=None, repr=False)
    exit_codes: list[list[int | None]] | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, judgements: Iterable[Judgement], cases: int = 0, names: Sequence[str] | None = None
    ) -> Evaluation:
        """Merge judgements into an evaluation.

        Args:
            judgements: The judgements, in any order.
            cases: Minimum number of columns.
            names: The programs' names.
        """
        parts = sorted(judgements, key=lambda part: part.first)
        counts = np.concatenate([np.zeros(0, np.int64), *(part.counts for part in parts)])
        wide = max(cases, int(counts.max(initial=0)))

        def table(rows: Iterable[np.ndarray[Any, Any]], other: int, kind: Any) -> Any:
            """Return rows by program and case, with `other` where a program has no such case."""
            values = np.concatenate([np.zeros(0, kind), *rows])
            if (counts == wide).all():
                return values.reshape(len(counts), wide)
            found = np.full((len(counts), wide), other, kind)
            found[np.arange(wide) < counts[:, None]] = values
            return found

        status = table((part.status for part in parts), CaseStatus.NO_CASE, np.int8)
        steps = table((part.steps for part in parts), 0, np.int64)
        in_cpython = table(map(_in_cpython, parts), 0, bool)
        kept = {name: _lists(parts, name) for name in KEPT}
        named = None if names is None else tuple(names)
        reasons, causes = _by_case(parts, "reasons"), _by_case(parts, "causes")
        return cls(
            status,
            steps,
            **kept,
            names=named,
            reasons=reasons,
            causes=causes,
            in_cpython=in_cpython,
        )

    @cached_property
    def passed(self) -> np.ndarray[Any, Any]:
        """Whether program p returned the expected value of case c (bool, programs x cases)."""
        equal: np.ndarray[Any, Any] = self.status == CaseStatus.PASSED
        return equal

    @cached_property
    def cases(self) -> np.ndarray[Any, Any]:
        """The number of cases of each program (int64, programs)."""
        counts: np.ndarray[Any, Any] = (self.status != CaseStatus.NO_CASE).sum(axis=1)
        return counts

    @cached_property
    def scores(self) -> np.ndarray[Any, Any]:
        """The fraction of its cases that each program passed (float64, programs)."""
        share: np.ndarray[Any, Any] = self.passed.sum(axis=1) / np.maximum(self.cases, 1)
        return share

    @property
    def solved(self) -> np.ndarray[Any, Any]:
        """Which programs passed all their cases (bool, programs)."""
        passed = self.passed.sum(axis=1)
        whole: np.ndarray[Any, Any] = (passed == self.cases) & (self.cases > 0)
        return whole

    @property
    def best(self) -> np.ndarray[Any, Any]:
        """Program indices (int64) by score, best first; equal scores by steps, then index."""
        return np.lexsort((self.steps.sum(axis=1), -self.scores))

    def counts(self) -> dict[CaseStatus, int]:
        """Return the number of calls with each status; statuses without calls are omitted."""
        found = np.bincount(self.status.reshape(-1), minlength=len(CaseStatus))
        return {
            status: int(found[status])
            for status in CaseStatus
            if found[status] and status != CaseStatus.NO_CASE
        }

    def exception_types(self) -> dict[str, int]:
        """Count the calls that each type of exception ended, the most frequent type first.

        Raises:
            UsageError: `keep` did not ask for exceptions.
        """
        if self.exceptions is None:
            raise UsageError(
                "this evaluation has no exceptions", hint='Give keep="exceptions" to evaluate().'
            )
        rows = (one.type for row in self.exceptions for one in row if one is not None)
        return dict(Counter(rows).most_common())

    def unsupported(self) -> dict[Cause, int]:
        """Count the programs with UNSUPPORTED cases by cause, the most frequent cause first."""
        pairs = {
            (place[0], cause)
            for place, cause in self.causes.items()
            if self.status[place] == CaseStatus.UNSUPPORTED
        }
        return dict(Counter(cause for _, cause in sorted(pairs, key=str)).most_common())

    def name(self, program: int) -> str:
        """Return the program's name, or its index where it has none."""
        return str(program) if self.names is None else self.names[program]

    def __len__(self) -> int:
        return len(self.status)

    def __repr__(self) -> str:
        programs, cases = self.status.shape
        ends = ", ".join(f"{name.name} {count}" for name, count in self.counts().items())
        count = int(self.in_cpython.sum())
        cpython = f"; {count} in CPython" if count else ""
        return (
            f"<Evaluation of {programs} programs x {cases} cases, "
            f"{int(self.solved.sum())} solved: {ends or 'nothing ran'}{cpython}>"
        )

    def _repr_html_(self) -> str:
        chosen = self.best[:MOST_SHOWN].tolist()
        rows = [
            (self.name(p), f"{self.scores[p]:.0%}", self.steps[p].sum(), self.status[p])
            for p in chosen
        ]
        return html_table(repr(self), rows, left_out=len(self) - len(chosen))


def _by_case(parts: Sequence[Judgement], name: str) -> dict[tuple[int, int], Any]:
    """Return an attribute of all parts that is keyed by row, keyed by program and case."""
    found = {}
    for part in parts:
        ends = np.cumsum(part.counts)
        for row, value in sorted(getattr(part, name).items()):
            program = int(np.searchsorted(ends, row, side="right"))
            case = row - int(ends[program] - part.counts[program])
            found[part.first + program, case] = value
    return found


def _in_cpython(part: Judgement) -> np.ndarray[Any, Any]:
    return np.zeros(len(part.status), bool) if part.in_cpython is None else part.in_cpython


def _lists(parts: Sequence[Judgement], name: str) -> Any:
    """Return for each program the list of its rows; None where a part has none."""
    found: list[list[Any]] = []
    for part in parts:
        rows = getattr(part, name)
        if rows is None:
            return None
        ends = np.cumsum(part.counts)
        found += [
            rows[start:end]
            for start, end in zip((ends - part.counts).tolist(), ends.tolist(), strict=True)
        ]
    return found
