"""The origin `PORTER_SOURCES`: a folder of tarballs or trees, for machines without a network."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from porter.errors import PorterError, SyncFailed
from porter.sync.archives import unpack
from porter.sync.lock import LockEntry
from porter.sync.trees import (
    VERSION_FILE,
    archived_commit,
    archived_release,
    copy_tree,
    is_archive,
    release_of,
    tree_hash,
)

VARIABLE = "PORTER_SOURCES"
_NAMED = re.compile(r"[-_]v?(\d+\.\d+\.\d+)(?:\.orig)?\.(?:tar|tgz|txz|zip)")


def sources_folder() -> Path:
    """Return the folder in the environment variable. Raises SyncFailed."""
    named = os.environ.get(VARIABLE)
    if not named:
        raise SyncFailed(f"${VARIABLE} names no folder of tarballs")
    folder = Path(named).expanduser()
    if not folder.is_dir():
        there = "it is no folder" if folder.exists() else "there is no such folder"
        raise SyncFailed(f"${VARIABLE} is {named}: {there}")
    return folder


def from_sources(entry: LockEntry, stage: Path) -> tuple[Path, str]:
    """Stage a tarball or tree of a release from the folder.

    The release is read from py/mpconfig.h. Of several candidates, the first with the lock's hash
    is taken; if none has it, the first candidate.

    Args:
        entry: The release, as in the lock.
        stage: The staging folder.

    Returns:
        The tree's folder and a line on its origin.

    Raises:
        SyncFailed: The folder has nothing of the release.
    """
    folder = sources_folder()
    has: list[str] = []
    differs: tuple[Path, str] | None = None
    for number, path in enumerate(_by_likelihood(folder, entry.release)):
        try:
            release = _release(path)
            has.append(release)
            if release != entry.release:
                continue
            tree = _take(path, stage / str(number))
        except PorterError as error:
            has.append(f"{path.name} ({error.message.removeprefix(f'{path}: ')})")
            continue
        found = tree, origin_of(path)
        if not entry.tree or tree_hash(tree) == entry.tree:
            return found
        differs = differs or found
    if differs is not None:
        return differs  # the caller's `install` reports the difference to the lock
    listed = ", ".join(dict.fromkeys(has)) or "no tree and no archive"
    raise SyncFailed(f"${VARIABLE}, {folder}, has nothing of {entry.release}; it has {listed}")


def sources_releases() -> dict[str, list[str]]:
    """Return the names of files or trees in the folder, by release. Raises SyncFailed.

    The release of an archive is taken from its name; the archive is read only if the name has none.
    """
    found: dict[str, list[str]] = {}
    for path in _candidates(sources_folder()):
        named = _NAMED.search(path.name) if path.is_file() else None
        try:
            release = named[1] if named else _release(path)
        except PorterError:
            continue
        found.setdefault(release, []).append(path.name)
    return found


def _candidates(folder: Path) -> Iterator[Path]:
    """Yield the folder itself if it is a tree, else the trees and archives in it."""
    if (folder / VERSION_FILE).is_file():
        yield folder
        return
    try:
        inside = sorted(folder.iterdir())
    except OSError as error:
        raise SyncFailed(f"${VARIABLE}, {folder}: {error.strerror}") from error
    yield from filter(_is_candidate, inside)


def _is_candidate(path: Path) -> bool:
    try:
        return (path / VERSION_FILE).is_file() or is_archive(path)
    except OSError:  # a folder of another user
        return False


def _by_likelihood(folder: Path, release: str) -> list[Path]:
    """Return the candidates, names with the release first, since reading archives is slow."""
    word = re.compile(rf"(?<![\d.]){re.escape(release)}(?!\.?\d)")
    return sorted(_candidates(folder), key=lambda path: word.search(path.name) is None)


def _release(path: Path) -> str:
    return release_of(path) if path.is_dir() else archived_release(path)


def _take(path: Path, into: Path) -> Path:
    return copy_tree(path, into) if path.is_dir() else unpack(path, into)


def origin_of(path: Path) -> str:
    """Return the origin as the lock records it: name and commit, but no path of this machine."""
    commit = "" if path.is_dir() else archived_commit(path)
    what = f"{'folder' if path.is_dir() else 'archive'} {path.name}"
    return f"git commit {commit} ({what})" if commit else what
