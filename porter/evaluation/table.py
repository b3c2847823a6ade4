"""Render an evaluation as a notebook table: a row for each program, a square for each case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from porter.base import markup
from porter.evaluation.status import CaseStatus

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
