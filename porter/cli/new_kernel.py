"""`porter new-kernel`: write a CUDA project that uses gpusnek."""

from __future__ import annotations

from pathlib import Path

import click

from porter.cli._types import PathType
from porter.generate.kernel_project import write_project


@click.command()
@click.argument("folder", metavar="NAME", type=PathType(path_type=Path))
@click.option("--arch", default="sm_90", show_default=True, help="The GPU's architecture.")
def command(folder: Path, arch: str) -> None:
    """Create a CUDA project NAME whose kernels use gpusnek."""
    for path in write_project(folder, arch):
        click.echo(path)
