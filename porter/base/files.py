"""Write files and folders atomically: under a temporary name, then renamed."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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
