"""A table for notebooks: a row for each program, a square for each case."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

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
}


def html_table(caption: str, rows: Sequence[tuple[str, str, Any, Any]], *, left_out: int) -> str:
    """HTML of rows (name, score, steps, statuses of the cases). left_out: rows not shown."""
    lines = [f"<p>{html.escape(caption)}</p>", "<table>"]
    lines.append("<tr><th>program</th><th>score</th><th>steps</th><th>cases</th></tr>")
    for name, score, steps, statuses in rows:
        squares = "".join(map(_square, statuses[:MOST_CASES].tolist()))
        more = " ..." if len(statuses) > MOST_CASES else ""
        lines.append(
            f"<tr><td>{html.escape(name)}</td><td>{score}</td><td>{steps}</td>"
            f"<td>{squares}{more}</td></tr>"
        )
    lines.append("</table>")
    if left_out > 0:
        lines.append(f"<p>and {left_out} programs more</p>")
    return "\n".join(lines)


def _square(status: int) -> str:
    name, colour = CaseStatus(status).name, COLOURS[CaseStatus(status)]
    return f'<span title="{name}" style="color:{colour}">&#9632;</span>'
