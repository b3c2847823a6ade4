"""JSON files with a checksum of their content, which shows later changes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from porter.base.files import write_changed

SEAL = "seal"


def write_sealed(path: Path, document: Mapping[str, Any]) -> None:
    """Write `document` to `path`, whole or not at all. A file that holds it already stays."""
    text = json.dumps({SEAL: _seal(document), **document})
    write_changed(path, text)


def read_sealed(path: Path) -> dict[str, Any] | None:
    """The document in `path`; None where there is none, or where it has been changed since."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document.pop(SEAL) == _seal(document):
            return dict(document)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return None


def _seal(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
