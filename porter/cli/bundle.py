"""`porter bundle`: prepare a finished build for inclusion in a wheel."""

from __future__ import annotations

from pathlib import Path

import click

from porter.bundling import write_bundle
from porter.cli._building import build_shown
from porter.cli._options import build_options
from porter.cli._types import PathType
from porter.config import BuildConfig
from porter.sync.store import release_dir


@click.command("bundle")
@click.argument("folder", type=PathType(file_okay=False, path_type=Path))
@click.option("-j", "--jobs", type=click.IntRange(1), help="Parallel compilers [one per core].")
@build_options
def command(folder: Path, jobs: int | None, config: BuildConfig) -> None:
    """Copy a finished build and its licences into FOLDER, for inclusion in a wheel.

    Builds first if needed. `PORTER_BUNDLE=FOLDER pip wheel .` makes the wheel. FOLDER may contain
    several builds.
    """
    done = build_shown(config, jobs=jobs)
    click.echo(write_bundle(done.folder, done.sources / "cxx", release_dir(config.release), folder))
