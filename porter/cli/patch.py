"""`porter patch`: check the patches to upstream's sources."""

from __future__ import annotations

import json

import click
from rich.console import Console
from rich.table import Table

from porter.cli._progress import show_progress
from porter.cli._types import NAME
from porter.errors import PatchDrift
from porter.patches import check_series, load_series
from porter.sync.lock import newest_release
from porter.sync.store import synced_releases
from porter.sync.synchronization import bring

STYLES = {"applies": "green", "skipped": "yellow", "fails": "red"}


@click.group()
def command() -> None:
    """Maintain the patches to upstream's sources."""


@command.command()
@click.argument("releases", nargs=-1, type=NAME)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--strict", is_flag=True, help="Fail if a build would skip a patch.")
def check(releases: tuple[str, ...], as_json: bool, strict: bool) -> None:
    """Show which patches apply to RELEASES (default: all synced releases).

    A build skips a patch that does not apply, and the patches that require it. A required patch
    that does not apply is an error.
    """
    series = load_series()
    checks = []
    with show_progress() as progress:
        for release in releases or synced_releases() or [newest_release()]:
            progress.now(release)
            checks += check_series(bring(release, progress.say), release, series)
    console = Console(highlight=False)
    if as_json:
        print(json.dumps([fit.as_dict() for fit in checks], indent=2))
    elif not series:
        console.print("there are no patches")
    else:
        table = Table("patch", "class", "release", "fits")
        for fit in checks:
            table.add_row(
                fit.patch, fit.class_, fit.release, f"[{STYLES[fit.state]}]{fit.state}[/]"
            )
        console.print(table)
        for fit in checks:
            if fit.state == "skipped":
                lacks = f"{fit.release}: skipped {fit.patch}: {fit.without}"
                console.print(lacks, markup=False, soft_wrap=True)
                console.print(f"  {fit.detail}", markup=False, soft_wrap=True)
    refused = [fit for fit in checks if fit.state == "fails" or (strict and fit.state == "skipped")]
    if refused:
        details = "\n".join(fit.detail for fit in refused)
        raise PatchDrift(f"{len(refused)} of {len(checks)} do not fit:\n{details}")
