"""What compilers made, by content: ninja goes by times, and takes what is damaged for good."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from porter.base.fingerprint import file_digest, mark
from porter.base.sealed import read_sealed, write_sealed

RECORD = "outputs.json"


def remove_damaged(folder: Path, outputs: Sequence[Path]) -> list[Path]:
    """Remove those of `outputs` that are not as `folder`'s record has them; ninja makes them again.

    What the record does not know is ninja's to judge.
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
    """Write down what `outputs` are now; hashes only those that are new."""
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
