"""Render a sweep's results as a table and as JSON."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from rich.console import Console
from rich.table import Table

from porter.base.untrusted import printable_text
from porter_dev.allocation_failure.model import Effect, JudgedTrial
from porter_dev.allocation_failure.sweep import Swept

SHOWN = 20  # maximum number of bad trials to print


def to_json(swept: Swept, about: dict[str, Any]) -> dict[str, Any]:
    """Return the result as JSON; ``about`` describes the programs and the device."""
    return {
        **about,
        "programs": len(swept.rows),
        "interpreters": swept.interpreters,
        "neighbours": swept.neighbours,
        "seconds": round(swept.seconds, 1),
        "outcomes": {verdict.value: swept.total(verdict) for verdict in Effect},
        "not_swept": swept.left,
        "bad": [_judged(judged) for judged in swept.bad],
        "other_exceptions": [_judged(judged) for judged in swept.others],
        "rows": [
            {
                "program": row.name,
                "allocations": row.allocations,
                "stride": row.stride,
                **{verdict.value: count for verdict, count in row.counts.items()},
            }
            for row in swept.rows
        ],
    }


def _judged(judged: JudgedTrial) -> dict[str, Any]:
    ending = judged.ending
    return {
        "program": judged.trial.name,
        "fail": judged.trial.fail,
        "verdict": judged.verdict.value,
        "status": ending.status,
        "note": ending.note,
        "allocations": ending.allocations,
        "stdout": printable_text(ending.stdout[-400:]),
        "stderr": printable_text(ending.stderr[-400:]),
    }


def show(swept: Swept, console: Console) -> None:
    """Print the outcomes per folder of programs, and the first bad trials."""
    folders: dict[str, dict[Effect, int]] = defaultdict(lambda: defaultdict(int))
    programs: dict[str, int] = defaultdict(int)
    for row in swept.rows:
        folder = row.name.rpartition("/")[0] or "."
        programs[folder] += 1
        for verdict, count in row.counts.items():
            folders[folder][verdict] += count
    shown = [v for v in Effect if v.good or swept.total(v)]
    table = Table("programs", "", "interpreters", *(v.value for v in shown))
    for folder in sorted(folders):
        counts = folders[folder]
        cells = [str(counts[v]) for v in shown]
        table.add_row(folder, str(programs[folder]), str(sum(counts.values())), *cells)
    if len(folders) > 1:
        cells = [str(swept.total(v)) for v in shown]
        table.add_row("all", str(len(swept.rows)), str(swept.interpreters), *cells)
    console.print(table)
    strided = sum(row.stride > 1 for row in swept.rows)
    console.print(
        f"{swept.neighbours} undisturbed neighbours; {len(swept.left)} programs not swept"
        f"{f'; {strided} programs with a stride' if strided else ''}; {swept.seconds:.0f} s"
    )
    for judged in swept.bad[:SHOWN]:
        trial, ending = judged.trial, judged.ending
        last = printable_text((ending.stderr.splitlines() or [b""])[-1])
        console.print(
            f"{judged.verdict.value}: {trial.name}, allocation {trial.fail}: "
            f"{ending.status} {ending.note} {last}",
            highlight=False,
            markup=False,
        )
