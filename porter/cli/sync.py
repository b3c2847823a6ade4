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
    help="Use this folder or archive; RELEASE is its new name [the version in it].",
)
@click.option(
    "--origin",
    "origins",
    type=click.Choice(list(ORIGINS)),
    multiple=True,
    help="Try only this origin; may be repeated [all, in this order].",
)
@click.option("--latest", is_flag=True, help="Fetch the newest release of any origin.")
@click.option("--force", is_flag=True, help="Fetch again, even if the release is present.")
@click.option("--new", is_flag=True, help="Accept a release that is not in the lock.")
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

    The origins are, in this order: the folder PORTER_SOURCES, the git submodule, git, and the
    distribution's source package. Without RELEASE: the newest release of the lock. With --latest:
    the newest release of all origins, even if it is not in the lock.

    RELEASE can be `master`, upstream's development branch, which git and git checkouts provide. The
    command prints the name of the resulting release, RELEASE+HASH.
    """
    if latest and (release is not None or source is not None):
        raise UsageError("--latest excludes RELEASE and --from")
    wanted = release
    with show_progress(prefix="", quiet=quiet) as progress:
        if latest:
            progress.now("asking origins")
            wanted = newest_online(progress.say, origins)
        progress.now("syncing")
        done = sync(
            wanted,
            source=source,
            origins=origins or tuple(ORIGINS),
            force=force,
            new=new or latest,
            record=record,
            say=progress.say,
        )
    if not quiet:
        Console(highlight=False).print(
            f"{done.release}: {done.state}, from {done.origin}, in {done.path}",
            markup=False,
            soft_wrap=True,
        )
    if release == DEVELOPMENT and not quiet:
        click.echo(f"Other commands take it with --release {done.release}")
