"""`porter rules`: list the rewriting rules, and how often a release needs each."""

from __future__ import annotations

import sys

import click
from rich.console import Console
from rich.table import Table

from porter.base import paths
from porter.base.files import write_whole
from porter.base.progress import ProgressReporter
from porter.cli._progress import show_progress
from porter.config import BuildConfig
from porter.errors import FileProblem, UnknownConstruct, UsageError
from porter.pipeline import rewrite_release, rewrite_sources
from porter.rewrite.early_exits import LEFT, Pair
from porter.rewrite.rule_reference import Counts, description, edits_table, put_between, rules_text
from porter.rewrite.rules import RULES
from porter.sync.lock import newest_release
from porter.sync.store import synced_releases


@click.command("rules")
@click.option("--release", "releases", multiple=True, metavar="R", help="Only this release.")
@click.option("--edits", is_flag=True, help="Rewrite each release and count every rule's edits.")
@click.option(
    "--early-exits", "exits", is_flag=True, help="List the changes that an unwind can separate."
)
@click.option(
    "--write",
    is_flag=True,
    help="Write examples, and counts if counted, into docs/reference/rules.md.",
)
@click.option("-j", "--jobs", type=click.IntRange(1), help="Processes at a time [one a core].")
def command(
    releases: tuple[str, ...], edits: bool, exits: bool, write: bool, jobs: int | None
) -> None:
    """List the rules in their order."""
    if exits:
        if edits or write:
            raise UsageError("--early-exits: lists pairs of changes; --edits and --write do not")
        _list_early_exits(releases or (newest_release(),), jobs)
        return
    counts: Counts = {}
    if edits:
        names = releases or tuple(synced_releases()) or (newest_release(),)
        with show_progress() as progress:
            counts = {n: rewrite_release(BuildConfig(release=n), jobs, progress) for n in names}
    elif releases:
        raise UsageError(
            "--release: say --edits or --early-exits too, for the rules are the same for all"
        )
    table = Table("", "rule", "what it does", *counts, box=None)
    for column in table.columns[3:]:
        column.justify = "right"
    for number, rule in enumerate(RULES, 1):
        cells = [f"{found.get(rule.name, 0):,}" for found in counts.values()]
        table.add_row(str(number), rule.name, description(rule).replace("[", r"\["), *cells)
    Console(highlight=False).print(table)
    if write:
        _write(counts)


def early_exits_of(
    config: BuildConfig, jobs: int | None, progress: ProgressReporter
) -> tuple[Pair, ...]:
    """Return the pairs of a release; its C++ is brought up to date, nothing is compiled."""
    return rewrite_sources(config, jobs=jobs, progress=progress).report.pairs


def _list_early_exits(releases: tuple[str, ...], jobs: int | None) -> None:
    """Print the pairs of each release.

    Raises:
        UnknownConstruct: a pair is left: neither restored nor harmless.
    """
    left: list[Pair] = []
    for release in releases:
        with show_progress() as progress:
            pairs = early_exits_of(BuildConfig(release=release), jobs, progress)
        table = Table("status", "kind", "function", "changes", "place", "why", box=None)
        for pair in sorted(pairs, key=lambda pair: (pair.status, pair.file, pair.line)):
            place = f"{pair.file}:{pair.line}"
            name = pair.path.replace("[", r"\[")
            table.add_row(pair.status, pair.kind, pair.function, name, place, pair.reason)
        Console(highlight=False, width=None if sys.stdout.isatty() else 240).print(table)
        left += [pair for pair in pairs if pair.status == LEFT]
    if left:
        first = left[0]
        raise UnknownConstruct(
            first.file,
            first.line,
            1,
            "unwinding",
            f"{first.function} changes {first.path}",
            "an early exit leaves a change that is taken back later",
            hint="Say in porter/rewrite/early_exits.toml why it is harmless, or change the C code.",
        )


def _write(counts: Counts) -> None:
    """Update docs/reference/rules.md between its markers."""
    home = paths.checkout()
    if home is None:
        raise FileProblem("docs/reference/rules.md: this porter runs from no checkout")
    path = home / "docs" / "reference" / "rules.md"
    text = path.read_text()
    try:
        if counts:
            text = put_between(text, "edits", edits_table(counts))
        text = put_between(text, "rules", rules_text())
    except ValueError as error:
        raise FileProblem(f"{path}: {error}") from error
    write_whole(path, text)
