"""Remembers from which files, by content, every preprocessed unit was made."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from attrs import asdict, frozen

FORMAT = 2


@frozen
class Entry:
    """One unit's result: `digest` and `files` of what it was made from; `kept` if not empty."""

    digest: str
    files: tuple[str, ...]
    kept: bool


@cache
def _file_digest(path: str, mtime_ns: int, size: int) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def inputs_digest(command: Iterable[str], files: Iterable[str]) -> str | None:
    """SHA-256 over `command` and the content of `files`; None when a file is gone."""
    digest = hashlib.sha256("\0".join(command).encode())
    for path in files:
        try:
            status = os.stat(path)
        except OSError:
            return None
        digest.update(f"\0{path}\0".encode())
        digest.update(_file_digest(path, status.st_mtime_ns, status.st_size).encode())
    return digest.hexdigest()


def read_cache(path: Path) -> dict[str, Entry]:
    """Entries by unit name; empty when there is no readable cache."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            return {}
        return {
            name: Entry(row["digest"], tuple(row["files"]), row["kept"])
            for name, row in document["units"].items()
        }
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def write_cache(path: Path, entries: dict[str, Entry]) -> None:
    """Write `entries` to `path`, whole or not at all."""
    units = {name: asdict(entry) for name, entry in sorted(entries.items())}
    beside = path.with_suffix(".tmp")
    beside.write_text(json.dumps({"format": FORMAT, "units": units}), encoding="utf-8")
    os.replace(beside, path)


def read_dependencies(path: Path) -> tuple[str, ...]:
    """The files that a makefile rule of `cc -MD` names, without its target."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    _, _, rest = text.partition(": ")
    names = rest.replace("\\ ", "\0").split()
    return tuple(name.replace("\0", " ") for name in names)
