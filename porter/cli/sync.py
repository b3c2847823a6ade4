"""`porter sync`: fetch and verify the sources of a release."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from porter.base.release_name import DEVELOPMENT
from porter.cli._progress import show_progress
from porter.cli._types import NAME, PathType
from porter.errors import UsageError
from porter.sync.origins import ORIGINS
from porter.sync.release_list import newest_online
from porter.sync.synchronization import sync


@click.command()
@click.argument("release", required=False, type=NAME)
@click.option(
    "--from",
    "source",
    metavar="PATH|TARBALL",
    type=PathType(path_type=Path),
    help="Take this folder or archive; RELEASE is then the name to give it [what it says].",
)
@click.option(
    "--origin",
    "origins",
    type=click.Choice(list(ORIGINS)),
    multiple=True,
    help="Try only this origin; may be repeated [all, in this order].",
)
@click.option("--latest", is_flag=True, help="Take the newest release that any origin has.")
@click.option("--force", is_flag=True, help="Fetch again what is already there.")
@click.option("--new", is_flag=True, help="Take a release that the lock does not know.")
@click.option("--record", is_flag=True, help="Write its hash into upstream/lock.toml.")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
def command(
    release: str | None,
    source: Path | None,
    origins: tuple[str, ...],
    latest: bool,
    force: bool,
    new: bool,
    record: bool,
    quiet: bool,
) -> None:
    """Fetch the sources of RELEASE into upstream/RELEASE and verify them.

    Tries the folder PORTER_SOURCES, the git submodule, git, and the distribution's source package,
    in this order. Without RELEASE: the newest that the lock knows. With --latest: the newest of all
    origins, also if the lock does not know it.

    RELEASE can be `master`, upstream's development branch: git and git checkouts have it. Its
    release's name is RELEASE+HASH, which the command prints. It never replaces a release.
    """
    if latest and (release is not None or source is not None):
        raise UsageError("--latest excludes RELEASE and --from")
    wanted = release
    with show_progress(prefix="", quiet=quiet) as tell:
        if latest:
            tell.now("asking origins")
            wanted = newest_online(tell.say, origins)
        tell.now("syncing")
        done = sync(
            wanted,
            source=source,
            origins=origins or tuple(ORIGINS),
            force=force,
            new=new or latest,
            record=record,
            say=tell.say,
        )
    if not quiet:
        Console(highlight=False).print(
            f"{done.release}: {done.state}, from {done.origin}, in {done.path}",
            markup=False,
            soft_wrap=True,
        )
    if release == DEVELOPMENT and not quiet:
        click.echo(f"Other commands take it with --release {done.release}")
