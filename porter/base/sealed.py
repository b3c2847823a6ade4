"""JSON files with a checksum of their content, to detect later changes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from porter.base.files import write_changed

SEAL = "seal"


def write_sealed(path: Path, document: Mapping[str, Any]) -> None:
    """Write `document` to `path` atomically, unless the file has this content already."""
    text = json.dumps({SEAL: seal_of(document), **document})
    write_changed(path, text)


def read_sealed(path: Path) -> dict[str, Any] | None:
    """Return the document in `path`; None if the file is missing or was changed."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document.pop(SEAL) == seal_of(document):
            return dict(document)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    return None


def seal_of(document: Mapping[str, Any]) -> str:
    """Return the checksum of `document`, which has no seal: SHA-256 of its sorted JSON."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
