"""Detect changes of files from file system metadata, which takes milliseconds."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from attrs import frozen

# Two changes of a file within one tick of the file system's clock can have the same timestamp.
TICK_NS = 20_000_000

Skip = Callable[[str], bool]


@frozen
class Fingerprint:
    """A digest of names, sizes, timestamps and inodes.

    `settled`: every file is older than one clock tick, so that a later change alters its timestamp.
    """

    digest: str
    settled: bool


def mark(status: os.stat_result) -> str:
    """Return the metadata that changes with a file: size, timestamps and inode."""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's content. Raises OSError."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fingerprint(roots: Iterable[Path], skip: Skip = lambda name: False) -> Fingerprint:
    """Return the fingerprint of files.

    Args:
        roots: Files, and folders to walk. The absence of a missing root is part of the digest.
        skip: Returns whether to ignore files and folders of this name.
    """
    digest = hashlib.sha256()
    newest = 0
    for root in roots:
        for path, status in _files(root, skip):
            newest = max(newest, status.st_ctime_ns)
            digest.update(f"{path}\0{mark(status)}\n".encode("utf-8", "surrogateescape"))
        digest.update(b"\0\0")
    return Fingerprint(digest.hexdigest(), time.time_ns() - newest > TICK_NS)


def _files(root: Path, skip: Skip) -> Iterator[tuple[str, os.stat_result]]:
    found: list[tuple[str, os.stat_result]] = []
    todo = [str(root)]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                for entry in entries:
                    if skip(entry.name):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
                    else:
                        found.append((entry.path, _status(entry)))
        except NotADirectoryError:
            found.append((str(root), os.stat(root)))
        except FileNotFoundError:
            continue
    found.sort(key=lambda item: item[0])
    yield from found


def _status(entry: os.DirEntry[str]) -> os.stat_result:
    try:
        return entry.stat()
    except OSError:  # a dangling symlink
        return entry.stat(follow_symlinks=False)


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        if not os.path.islink(path):
            raise
        return os.fsencode(os.readlink(path))  # a symlink to a folder, or a dangling one


def content_digest(roots: Iterable[Path], skip: Skip = lambda name: False) -> str:
    """Return a SHA-256 of relative names and contents, which is equal for a copy elsewhere."""
    digest = hashlib.sha256()
    for root in roots:
        for path, _ in _files(root, skip):
            name = os.path.relpath(path, root)
            digest.update(f"{name}\0".encode("utf-8", "surrogateescape"))
            digest.update(hashlib.sha256(_content(path)).digest())
        digest.update(b"\0\0")
    return digest.hexdigest()
