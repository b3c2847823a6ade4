"""Record the inputs of every preprocessed unit, by content, so that unchanged units are reused."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from attrs import asdict, frozen

from porter.base.documents import structured
from porter.base.files import read_sealed, write_sealed
from porter.base.fingerprint import file_digest
from porter.errors import NotBuilt
from porter.preprocess.function_replacement import FoundBody

FORMAT = 4


@frozen
class CachedUnit:
    """The cache entry of a unit.

    Attributes:
        digest: The digest of the command and of `files`.
        files: All files that the preprocessor read.
        kept: Whether the unit has code.
        text: The SHA-256 of the preprocessed text; empty unless `kept`.
        bodies: The results of the unit's function replacements.
    """

    digest: str
    files: tuple[str, ...]
    kept: bool
    text: str = ""
    bodies: tuple[FoundBody, ...] = ()


def text_digest(path: Path) -> str:
    """Return the SHA-256 of a file; empty if the file is missing."""
    try:
        return file_digest(path)
    except OSError:
        return ""


@cache
def _file_digest(path: str, _times_and_size: tuple[int, ...]) -> str:
    return file_digest(Path(path))


def inputs_digest(command: Iterable[str], files: Iterable[str]) -> str | None:
    """Return a SHA-256 of `command` and of the contents of `files`; None if a file is missing."""
    digest = hashlib.sha256("\0".join(command).encode())
    for path in files:
        try:
            status = os.stat(path)
        except OSError:
            return None
        digest.update(f"\0{path}\0".encode())
        changing = status.st_mtime_ns, status.st_ctime_ns, status.st_size
        digest.update(_file_digest(path, changing).encode())
    return digest.hexdigest()


def read_cache(path: Path) -> dict[str, CachedUnit]:
    """Return the entries by unit name; empty if there is no readable cache."""
    document = read_sealed(path)
    if document is None or document.get("format") != FORMAT:
        return {}
    try:
        return structured(document.get("units"), dict[str, CachedUnit], path, NotBuilt)
    except NotBuilt:
        return {}


def write_cache(path: Path, entries: dict[str, CachedUnit]) -> None:
    """Write `entries` to `path` atomically, unless the file has them already."""
    units = {name: asdict(entry) for name, entry in sorted(entries.items())}
    write_sealed(path, {"format": FORMAT, "units": units})


def read_dependencies(path: Path) -> tuple[str, ...]:
    """Return the files in a makefile rule of `cc -MD`, without its target."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    _, _, rest = text.partition(": ")
    names = rest.replace("\\ ", "\0").split()
    return tuple(name.replace("\0", " ") for name in names)
