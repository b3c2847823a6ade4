"""`porter bundle`: prepare a finished build for inclusion in a wheel."""

from __future__ import annotations

from pathlib import Path

import click
from attrs import evolve

from porter.bundling import write_bundle
from porter.cli._building import build_shown
from porter.cli._options import build_options
from porter.cli._types import PathType
from porter.config import BuildConfig
from porter.sync.store import release_dir


@click.command("bundle")
@click.argument("folder", type=PathType(file_okay=False, path_type=Path))
@click.option("-j", "--jobs", type=click.IntRange(1), help="Parallel compilers [one per core].")
@click.option(
    "--judging", is_flag=True, help="Also copy the build with bounds checks, for `porter evaluate`."
)
@build_options
def command(folder: Path, jobs: int | None, judging: bool, config: BuildConfig) -> None:
    """Copy a finished build and its licences into FOLDER, for inclusion in a wheel.

    Builds first if needed. `PORTER_BUNDLE=FOLDER pip wheel .` makes the wheel. FOLDER may contain
    several builds.
    """
    tree = release_dir(config.release)
    for one in (config, evolve(config, bounds_checks=True)) if judging else (config,):
        done = build_shown(one, jobs=jobs)
        click.echo(write_bundle(done.folder, done.sources / "cxx", tree, folder, one.targets))
