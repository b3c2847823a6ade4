"""Write files and folders atomically: under a temporary name, then renamed.

A sealed JSON file has a checksum of its content, which reveals later changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; on exit it is renamed to `path`.

    If the block raises, `path` is unchanged and the temporary file is removed.

    Raises:
        OSError: The block wrote nothing, or `path` cannot be replaced.
    """
    # Unique per process and thread, so that concurrent writers of one path do not collide.
    beside = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.new")
    try:
        yield beside
        beside.replace(path)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename == str(beside):
            error.filename = str(path)  # messages name the path that the caller knows
        with suppress(OSError):  # report the first error
            beside.unlink()
        raise


def write_whole(path: Path, content: bytes | str, *, parents: bool = False) -> None:
    """Write `content` to `path` atomically.

    Args:
        path: The file.
        content: The content; a str is encoded as UTF-8.
        parents: Whether to create missing parent folders.

    Raises:
        OSError: The file cannot be written; `path` is unchanged.
    """
    if parents:
        path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as beside:
        beside.write_bytes(_encoded(content))


def write_changed(path: Path, content: bytes | str) -> None:
    """Write `content` to `path` as `write_whole` does, unless the file has this content already."""
    data = _encoded(content)
    try:
        if path.read_bytes() == data:
            return
    except OSError:
        pass
    write_whole(path, data)


def replace_folder(new: Path, old: Path) -> None:
    """Rename the folder `new` to `old`, after removing `old`. Raises OSError."""
    if old.exists():
        shutil.rmtree(old)
    new.replace(old)


def _encoded(content: bytes | str) -> bytes:
    return content.encode() if isinstance(content, str) else content


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
