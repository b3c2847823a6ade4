"""Whether files have changed, as the file system says: it takes milliseconds to ask."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from attrs import frozen

# A file that changes again within one tick of the file system's clock keeps its time.
TICK_NS = 20_000_000

Skip = Callable[[str], bool]


@frozen
class Fingerprint:
    """`digest` of names, sizes, times and inodes. `settled` says that a file which changes now
    gets another time: no file is younger than one tick of the clock."""

    digest: str
    settled: bool


def mark(status: os.stat_result) -> str:
    """What changes with a file: its size, times and inode."""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes. Raises OSError."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fingerprint(roots: Iterable[Path], skip: Skip = lambda name: False) -> Fingerprint:
    """The fingerprint of the files `roots` and of all below the folders among them.

    `skip` says of a file's or folder's name that it does not count. A root that
    is not there adds its absence to the digest.
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
    except OSError:  # a link to nowhere
        return entry.stat(follow_symlinks=False)


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        if not os.path.islink(path):
            raise
        return os.fsencode(os.readlink(path))  # to a folder, or to nowhere


def content_digest(roots: Iterable[Path], skip: Skip = lambda name: False) -> str:
    """SHA-256 over names below their root and contents: it survives a copy to elsewhere."""
    digest = hashlib.sha256()
    for root in roots:
        for path, _ in _files(root, skip):
            name = os.path.relpath(path, root)
            digest.update(f"{name}\0".encode("utf-8", "surrogateescape"))
            digest.update(hashlib.sha256(_content(path)).digest())
        digest.update(b"\0\0")
    return digest.hexdigest()
