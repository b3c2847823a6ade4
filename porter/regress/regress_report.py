"""Render a run as tables for a terminal, as Markdown and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import jinja2
from rich.console import Console
from rich.table import Table
from rich.text import Text

from porter.regress.baseline import ReleaseRun, Stage, StageState
from porter.regress.checks import GOOD
from porter.regress.comparison import Change, Changes
from porter.rewrite.rules import RULES

STYLES = {
    StageState.OK: "green",
    StageState.CACHED: "green",
    StageState.FAILED: "red",
    StageState.SKIPPED: "yellow",
    StageState.NOT_REACHED: "dim",
}
Rows = list[tuple[str, list[str]]]


def stage_rows(runs: Sequence[ReleaseRun]) -> list[tuple[str, list[Stage | None]]]:
    """Return a row per stage: its name, and the stage of each release (None if it has none)."""
    names = dict.fromkeys((stage.name, stage.target) for run in runs for stage in run.stages)
    rows = []
    for name, target in names:
        of = {run.release: stage for run in runs for stage in run.stages
              if (stage.name, stage.target) == (name, target)}  # fmt: skip
        rows.append((f"{name} {target}".strip(), [of.get(run.release) for run in runs]))
    return rows


def number_rows(runs: Sequence[ReleaseRun]) -> Rows:
    """Return rows for units, edits, warnings, tests and sizes, with a cell per release."""
    rows: Rows = [
        ("units", [str(len(run.facts.units) or "") for run in runs]),
        ("warnings", [str(sum(run.facts.warnings.values())) for run in runs]),
        ("edits", [f"{sum(run.facts.per_rule().values()):,}" for run in runs]),
    ]
    for target in dict.fromkeys(target for run in runs for target in run.facts.tests):
        counts = [Counter(run.facts.tests.get(target, {}).values()) for run in runs]
        rows.append((f"tests passed, {target}", [str(count["pass"]) for count in counts]))
        rows.append((f"tests skipped, {target}", [str(count["skip"]) for count in counts]))
        bad = [sum(n for verdict, n in count.items() if verdict not in GOOD) for count in counts]
        rows.append((f"tests failed, {target}", [str(n) for n in bad]))
    sizes = dict.fromkeys((t, n) for run in runs for t, s in run.facts.sizes.items() for n in s)
    for target, name in sizes:
        cells = [run.facts.sizes.get(target, {}).get(name) for run in runs]
        heading = f"{name}, {target}" + ("" if name.endswith("registers") else " (bytes)")
        rows.append((heading, ["" if cell is None else f"{cell:,}" for cell in cells]))
    return rows


def edit_rows(runs: Sequence[ReleaseRun]) -> Rows:
    """Return a row per rule, in the rules' order, with each release's edits."""
    counts = [run.facts.per_rule() for run in runs]
    return [(rule.name, [f"{count.get(rule.name, 0):,}" for count in counts]) for rule in RULES]


def show(runs: Sequence[ReleaseRun], changes: Sequence[Changes], console: Console) -> None:
    """Print problems, the table, and the differences to the baseline."""
    for run in runs:
        for stage in run.stages:
            for problem in stage.problems:
                head = f"{run.release}, {stage.name} {stage.target}".rstrip()
                console.print(Text(f"{head}: {problem.message}", "red"), soft_wrap=True)
                if problem.hint:
                    console.print(Text(f"  {problem.hint}", "cyan"), soft_wrap=True)
    table = Table("", *(run.release for run in runs), box=None)
    for heading, stages in stage_rows(runs):
        table.add_row(heading, *(_cell(stage) for stage in stages))
    table.add_section()
    for heading, cells in [*number_rows(runs), *edit_rows(runs)]:
        table.add_row(heading, *cells)
    console.print(table)
    for change in changes:
        for line in change_lines(change):
            console.print(Text(line), soft_wrap=True)


def _cell(stage: Stage | None) -> Text:
    if stage is None:
        return Text("")
    text = Text(stage.state.value, STYLES[stage.state])
    if stage.state in (StageState.OK, StageState.CACHED, StageState.FAILED):
        text.append(f" {stage.seconds:.1f} s", "default")
    return text.append(f", {stage.note}" if stage.note else "", "default")


def change_lines(changes: Changes, most: int = 12) -> list[str]:
    """Return the differences as lines, at most `most` of each kind."""
    if not changes.against:
        return [f"{changes.release}: there is no baseline to compare with"]
    head = f"{changes.release} against the baseline"
    if not changes.own:
        head += f" of {changes.against} (it has none of its own)"
    if not changes.found:
        return [f"{head}: nothing differs"]
    lines = [f"{head}:"]
    for title, found in _kinds(changes):
        rows = list(found)
        lines += [f"  {title}: {row}" for row in rows[:most]]
        if len(rows) > most:
            lines.append(f"  {title}: {len(rows) - most} more")
    return lines


def _kinds(changes: Changes) -> Iterable[tuple[str, Iterable[str]]]:
    yield "newly failing", map(_described, changes.failing)
    yield "newly passing", map(_arrow, changes.passing)
    yield "other verdict", map(_arrow, changes.moved)
    yield "patch", map(_arrow, changes.patches)
    yield "rule needed first here", map(_described, (c for c in changes.met if c.before == "0"))
    yield "rule", map(_described, (c for c in changes.met if c.before != "0"))
    yield "unit added", changes.added_units
    yield "unit removed", changes.removed_units
    yield "warning", map(_arrow, changes.warnings)
    for word, tests in (("added", changes.added_tests), ("removed", changes.removed_tests)):
        yield f"test {word}", (f"{name} ({target})" for target in tests for name in tests[target])
    yield "size", map(_arrow, changes.sizes)


def _arrow(change: Change) -> str:
    return f"{change.where} {change.before} → {change.after}"


def _described(change: Change) -> str:
    return f"{_arrow(change)}: {change.detail}" if change.detail else _arrow(change)


def as_json(runs: Sequence[ReleaseRun], changes: Sequence[Changes], code: int) -> dict[str, Any]:
    """Return all results for `--json`: exit code, releases and differences."""
    return {
        "exit_code": code,
        "releases": [run.as_dict() for run in runs],
        "changes": [attrs.asdict(change) for change in changes],
    }


def as_markdown(
    runs: Sequence[ReleaseRun], changes: Sequence[Changes], about: dict[str, str]
) -> str:
    """Return the report as Markdown; `about` holds the conditions of the run."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("porter.regress", "."),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["cell"] = lambda stage: _escaped(_cell(stage).plain)
    environment.filters["escaped"] = _escaped
    return environment.get_template("report.md.j2").render(
        runs=runs,
        about=about,
        stages=stage_rows(runs),
        numbers=number_rows(runs),
        edits=edit_rows(runs),
        problems=[(r, s, p) for r in runs for s in r.stages for p in s.problems],
        skipped=[fit for run in runs for fit in run.skipped],
        changes=[change_lines(change, most=40) for change in changes],
    )


def _escaped(text: str) -> str:
    """Return a text on one line, in which no `|` ends a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", r"\|")
