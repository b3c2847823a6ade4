"""Render a sweep's results as a table and as JSON."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from rich.console import Console
from rich.table import Table

from porter.base.untrusted import printable_text
from porter_dev.allocation_failure.injection import Effect, JudgedTrial
from porter_dev.allocation_failure.injection_campaign import InjectionResults

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
