"""Verify a finished build's files against the sizes and SHA-256 in `build.json`.

`Built.file` calls this for each file that a run loads or reads. `porter doctor` checks a wheel's
builds, and workers of a cluster check the builds that they have. A file is hashed once per process
as long as its size, times and inode stay the same.

Checking and loading a file are two steps. Devices check again after loading, so a file that was
replaced in between is found before a program runs. A file that is overwritten in place later is not
found, because the kernel maps its pages at first use.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

from porter.base.fingerprint import TICK_NS, mark
from porter.errors import BuildDamaged
from porter.manifest import BuiltFile, Manifest

# The file's mark and its SHA-256, by path. A dict's operations are atomic, and two threads that
# hash one file write the same value.
_digests: dict[str, tuple[str, str]] = {}


def verified(path: Path, recorded: BuiltFile) -> Path:
    """Return `path` if the file is unchanged since the build was finished.

    Args:
        path: The file.
        recorded: Its entry in `build.json`.

    Raises:
        BuildDamaged: The file is missing, cannot be read, or has another size or content.
    """
    problem = _problem(path, recorded)
    if problem is not None:
        raise BuildDamaged(f"{path}: {problem}", hint=REMEDY)
    return path


def damaged(
    folder: Path, manifest: Manifest, names: Iterable[str] | None = None
) -> tuple[str, ...]:
    """Return the files of the build in `folder` that differ from `manifest`.

    Args:
        folder: The build's own folder.
        manifest: Its `build.json`.
        names: Files below `folder` to check; None for all.
    """
    files = manifest.files
    return tuple(
        name
        for name in (files if names is None else names)
        if _problem(folder / name, files[name]) is not None
    )


REMEDY = (
    "Build again with `porter build`, or copy the whole folder again. A file of a finished build "
    "cannot be edited: build.json has its hash."
)


def _problem(path: Path, recorded: BuiltFile) -> str | None:
    """Return how the file differs from its record; None if it does not."""
    try:
        status = os.stat(path)
        if status.st_size != recorded.size:
            return (
                f"the file is damaged: it has {status.st_size} bytes, and build.json says "
                f"{recorded.size}"
            )
        if _digest(path, mark(status), status.st_ctime_ns) != recorded.sha256:
            return "the file was changed after the build: its SHA-256 is not what build.json says"
    except FileNotFoundError:
        return "the file is missing, and build.json lists it"
    except OSError as error:
        return f"the file cannot be read: {error.strerror or error}"
    return None


def _digest(path: Path, marked: str, changed_ns: int) -> str:
    """Return the file's SHA-256. changed_ns: time of its last change in nanoseconds since 1970."""
    key = str(path)
    known = _digests.get(key)
    if known is not None and known[0] == marked:
        return known[1]
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        same = mark(os.fstat(file.fileno())) == marked
    # A file that changes within a tick of the file system's clock may keep its times.
    if same and time.time_ns() - changed_ns > TICK_NS:
        _digests[key] = (marked, digest)
    return digest
