"""`porter rules`: list the rewriting rules, and how often a release needs each."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from porter.base import paths
from porter.base.files import write_whole
from porter.cli._telling import telling
from porter.config import BuildConfig
from porter.errors import FileProblem, UsageError
from porter.pipeline import rewrite_release
from porter.rewrite.describe import Counts, description, edits_table, put_between, rules_text
from porter.rewrite.rules import RULES
from porter.sync.lock import newest_release
from porter.sync.store import synced_releases


@click.command("rules")
@click.option("--release", "releases", multiple=True, metavar="R", help="Only this release.")
@click.option("--edits", is_flag=True, help="Rewrite each release and count every rule's edits.")
@click.option(
    "--write", is_flag=True, help="Write examples, and counts if counted, into docs/rules.md."
)
@click.option("-j", "--jobs", type=click.IntRange(1), help="Processes at a time [one a core].")
def command(releases: tuple[str, ...], edits: bool, write: bool, jobs: int | None) -> None:
    """List the rules in their order."""
    counts: Counts = {}
    if edits:
        names = releases or tuple(synced_releases()) or (newest_release(),)
        with telling() as tell:
            counts = {n: rewrite_release(BuildConfig(release=n), jobs, tell) for n in names}
    elif releases:
        raise UsageError("--release: say --edits too, for the rules are the same for all")
    table = Table("", "rule", "what it does", *counts, box=None)
    for column in table.columns[3:]:
        column.justify = "right"
    for number, rule in enumerate(RULES, 1):
        cells = [f"{found.get(rule.name, 0):,}" for found in counts.values()]
        table.add_row(str(number), rule.name, description(rule).replace("[", r"\["), *cells)
    Console(highlight=False).print(table)
    if write:
        _write(counts)


def _write(counts: Counts) -> None:
    """Update docs/rules.md between its markers."""
    home = paths.checkout()
    if home is None:
        raise FileProblem("docs/rules.md: this porter runs from no checkout")
    path = home / "docs" / "rules.md"
    text = path.read_text()
    try:
        if counts:
            text = put_between(text, "edits", edits_table(counts))
        text = put_between(text, "rules", rules_text())
    except ValueError as error:
        raise FileProblem(f"{path}: {error}") from error
    write_whole(path, text)
