"""`porter fs`: make and read images of the file system that interpreters mount."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from porter.base.sizes import format_size, parse_size
from porter.cli._types import NAME, PathType
from porter.fs.folder import image_of, pull, push
from porter.fs.image import BLOCK_SIZE, Image

FILE = PathType(path_type=Path)


def _size(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    return None if value is None else parse_size(value, param.opts[0])


@click.group("fs")
def command() -> None:
    """Create, read and change littlefs2 images for `porter run --fs`."""


@command.command("build")
@click.argument("folder", type=FILE)
@click.argument("image", type=FILE)
@click.option(
    "--size",
    metavar="SIZE",
    callback=_size,
    help="Size of the image [25 % more than the content of FOLDER].",
)
@click.option(
    "--block", type=int, default=BLOCK_SIZE, show_default=True, help="Block size in bytes."
)
def build(folder: Path, image: Path, size: int | None, block: int) -> None:
    """Create IMAGE with the content of FOLDER."""
    made = image_of(folder, size, block)
    made.save(image)
    click.echo(f"{image}: {format_size(len(made.data))}")


@command.command("ls")
@click.argument("image", type=FILE)
@click.argument("path", default="/", type=NAME)
def ls(image: Path, path: str) -> None:
    """List PATH recursively, with sizes in bytes."""
    for entry in Image.load(image).walk(path):
        click.echo(f"{'-' if entry.folder else entry.size:>9}  /{entry.path}")


@command.command("cat")
@click.argument("image", type=FILE)
@click.argument("path", type=NAME)
def cat(image: Path, path: str) -> None:
    """Write a file's content to stdout."""
    sys.stdout.buffer.write(Image.load(image).read(path))
    sys.stdout.flush()


@command.command("pull")
@click.argument("image", type=FILE)
@click.argument("path", type=NAME)
@click.argument("to", type=FILE, default=".")
def pull_command(image: Path, path: str, to: Path) -> None:
    """Copy the file or folder PATH from IMAGE to the host."""
    click.echo(f"{pull(Image.load(image), path, to)} files")


@command.command("push")
@click.argument("image", type=FILE)
@click.argument("source", type=FILE)
@click.argument("path", default="/", type=NAME)
def push_command(image: Path, source: Path, path: str) -> None:
    """Copy the file SOURCE, or the content of the folder SOURCE, to PATH in IMAGE."""
    loaded = Image.load(image)
    files = push(loaded, source, path)
    loaded.save(image)
    click.echo(f"{files} files")
