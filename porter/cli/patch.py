"""`porter patch`."""

from __future__ import annotations

import json

import attrs
import click
from rich.console import Console
from rich.table import Table

from porter.base import paths
from porter.cli._telling import telling
from porter.errors import PatchDrift, UsageError
from porter.patches import check_series, load_series
from porter.patches.refresh import refresh as rewrite
from porter.sync.lock import newest_release
from porter.sync.store import synced_releases
from porter.sync.syncing import bring


@click.group()
def command() -> None:
    """Look after the patches to upstream's sources."""


@command.command()
@click.argument("releases", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(releases: tuple[str, ...], as_json: bool) -> None:
    """Show which patches fit RELEASES (default: all that are synced), before a build does."""
    series = load_series()
    checks = []
    with telling() as tell:
        for release in releases or synced_releases() or [newest_release()]:
            tell.now(release)
            checks += check_series(bring(release, tell.say), release, series)
    failed = [result for result in checks if result.state == "fails"]
    console = Console(highlight=False)
    if as_json:
        print(json.dumps([attrs.asdict(result) for result in checks], indent=2))
    elif not series:
        console.print("there are no patches")
    else:
        styles = {"exact": "green", "drift": "yellow", "fails": "red"}
        table = Table("patch", "release", "fits")
        for result in checks:
            style = styles[result.state]
            table.add_row(result.patch, result.release, f"[{style}]{result.state}[/]")
        console.print(table)
    if failed:
        details = "\n".join(result.detail for result in failed)
        raise PatchDrift(f"{len(failed)} of {len(checks)} do not fit:\n{details}")


@command.command()
@click.argument("release")
def refresh(release: str) -> None:
    """Bring the patches up to RELEASE, which they fit: anchors as it writes them, tried-on list."""
    if paths.checkout() is None:
        raise UsageError("patches are refreshed in a source checkout")
    with telling() as tell:
        tell.now(release)
        done = rewrite(bring(release, tell.say), release)
    tried = ", ".join(done.patches) or "none"
    Console(highlight=False).print(
        f"{done.anchors} anchors rewritten; newly tried on {release}: {tried}", markup=False
    )
