"""`porter releases`: list local and available releases."""

from __future__ import annotations

import json

import click
from rich.console import Console
from rich.table import Table

from porter.base import paths
from porter.cli._progress import show_progress
from porter.sync.lock import read_lock
from porter.sync.release_list import list_releases, newest_online, online_releases


@click.command()
@click.option("--online", is_flag=True, help="Also ask the origins for their releases.")
@click.option(
    "--new", is_flag=True, help="Print only the newest release, and only if the lock lacks it."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(online: bool, new: bool, as_json: bool) -> None:
    """List the releases that are synced and those that origins provide."""
    if new:
        said = Console(stderr=True, highlight=False)
        with show_progress() as progress:
            progress.now("asking origins")
            newest = newest_online(lambda line: said.print(line, style="yellow", markup=False))
        if newest not in read_lock(paths.lock_file()).entries:
            click.echo(newest)
        return
    with show_progress() as progress:
        progress.now("asking origins" if online else "reading trees")
        found, problems = online_releases() if online else ({}, [])
        rows = list_releases(found)
    if as_json:
        fields = ("release", "state", "origin", "available")
        listed = [{name: getattr(row, name) for name in fields} for row in rows]
        print(json.dumps({"releases": listed, "problems": problems}, indent=2))
        return
    table = Table("release", "here", "from", "available from")
    styles = {"verified": "green", "modified": "red", "unlocked": "yellow", "no": "dim"}
    for row in rows:
        state = f"[{styles[row.state]}]{row.state}[/]"
        table.add_row(row.release, state, row.origin, ", ".join(row.available))
    Console(highlight=False).print(table)
    for problem in problems:
        Console(stderr=True, highlight=False).print(
            problem, style="yellow", markup=False, soft_wrap=True
        )
