"""A record of the hashes of compiler outputs, to find files that were damaged after the build.

Ninja compares modification times only and would accept a damaged file forever.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from porter.base.fingerprint import file_digest, mark
from porter.base.sealed import read_sealed, write_sealed

RECORD = "outputs.json"


def remove_damaged(folder: Path, outputs: Sequence[Path]) -> list[Path]:
    """Remove outputs whose content differs from the record, so that ninja makes them again.

    Files without a record are left to ninja.

    Returns:
        The removed files.
    """
    known = _read(folder)
    damaged = []
    for path in outputs:
        row = known.get(str(path))
        status = _status(path)
        if row is None or status is None or row[0] == status:
            continue
        if row[1] != file_digest(path):
            path.unlink()
            damaged.append(path)
    return damaged


def record_outputs(folder: Path, outputs: Sequence[Path]) -> None:
    """Record the state of `outputs`; only files that are new or touched are hashed."""
    known = _read(folder)
    rows: dict[str, list[str]] = {}
    for path in outputs:
        status = _status(path)
        if status is not None:
            row = known.get(str(path))
            rows[str(path)] = row if row and row[0] == status else [status, file_digest(path)]
    write_sealed(folder / RECORD, {"outputs": rows})


def _read(folder: Path) -> dict[str, list[str]]:
    rows: dict[str, list[str]] = (read_sealed(folder / RECORD) or {}).get("outputs", {})
    return rows


def _status(path: Path) -> str | None:
    try:
        return mark(os.stat(path))
    except OSError:
        return None
