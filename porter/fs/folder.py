"""Copy files between images and folders of this machine."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from porter.base import arguments
from porter.errors import FileProblem
from porter.fs.image import BLOCK_SIZE, Image, size_for

Tree = list[tuple[str, bytes | None]]


def read_folder(folder: str | os.PathLike[str]) -> Tree:
    """Return (path, content) of all entries below `folder`, sorted; content None for folders."""
    folder = arguments.path(folder, "folder")
    if not folder.is_dir():
        raise FileProblem(f"{folder}: not a folder")
    tree: Tree = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir():
            tree.append((name, None))
        elif path.is_file():
            tree.append((name, path.read_bytes()))
        else:
            raise FileProblem(f"{path}: neither file nor folder")
    return tree


def image_of(
    folder: str | os.PathLike[str], size: int | None = None, block_size: int = BLOCK_SIZE
) -> Image:
    """Return an image with the files of `folder`.

    Args:
        folder: The folder.
        size: The image's size in bytes; None for the size of the files and a quarter more.
        block_size: The block size in bytes.

    Raises:
        FileProblem: A file cannot be read, or the image is too small.
    """
    tree = read_folder(folder)
    image = Image.empty(size or size_for(tree, block_size), block_size)
    for name, content in tree:
        if content is None:
            image.make_folder(name)
        else:
            image.write(name, content)
    return image


def pull(image: Image, path: str, to: arguments.StrPath) -> int:
    """Copy a file, or a folder with its content, from `image` to `to`.

    Returns:
        The number of files.

    Raises:
        FileProblem: There is no such file, or a file cannot be written.
    """
    to = arguments.path(to, "to")
    try:
        return _pull(image, path, to)
    except OSError as error:
        raise FileProblem(f"{error.filename or to}: {error.strerror}") from error


def _pull(image: Image, path: str, to: Path) -> int:
    top = image.entry(path)
    if not top.folder:
        target = to / PurePosixPath(top.path).name if to.is_dir() else to
        target.write_bytes(image.read(top.path))
        return 1
    files = 0
    for entry in image.walk(path):
        target = to / PurePosixPath(entry.path).relative_to(top.path)
        if entry.folder:
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(image.read(entry.path))
            files += 1
    return files


def _is_folder(image: Image, path: str) -> bool:
    try:
        return path.endswith("/") or image.entry(path).folder
    except FileProblem:
        return False


def push(image: Image, source: arguments.StrPath, path: str) -> int:
    """Copy a file, or the content of a folder, into `image` at `path`.

    A file is copied into `path` if that is a folder or ends with a slash.

    Returns:
        The number of files.

    Raises:
        FileProblem: A file cannot be read, or the image is full.
    """
    source = arguments.path(source, "source")
    if source.is_dir():
        files = 0
        for name, content in read_folder(source):
            inside = f"{path}/{name}"
            if content is None:
                image.make_folder(inside)
            else:
                image.write(inside, content)
                files += 1
        return files
    try:
        content = source.read_bytes()
    except OSError as error:
        raise FileProblem(f"{source}: {error.strerror}") from error
    image.write(f"{path}/{source.name}" if _is_folder(image, path) else path, content)
    return 1
