"""Files that readers see whole: each is written beside its place and renamed there."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name beside `path` for the block to write; at the block's end it is renamed to `path`.

    A block that raises leaves `path` as it was and nothing beside it. Raises OSError where the
    block wrote nothing or `path` cannot be replaced.
    """
    # Processes and threads that write one file at one time write different names.
    beside = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.new")
    try:
        yield beside
        beside.replace(path)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename == str(beside):
            error.filename = str(path)  # messages name what was asked for
        with suppress(OSError):  # the first error says what is wrong
            beside.unlink()
        raise


def write_whole(path: Path, content: bytes | str, *, parents: bool = False) -> None:
    """Make `content`, a str as UTF-8, the content of `path`; `parents` makes folders above it.

    Raises OSError, and then `path` is as it was.
    """
    if parents:
        path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as beside:
        beside.write_bytes(_encoded(content))


def write_changed(path: Path, content: bytes | str) -> None:
    """As `write_whole`, but a file that holds `content` already keeps its times."""
    data = _encoded(content)
    try:
        if path.read_bytes() == data:
            return
    except OSError:
        pass
    write_whole(path, data)


def replace_folder(new: Path, old: Path) -> None:
    """Rename the folder `new` to `old`, which is removed first. Raises OSError."""
    if old.exists():
        shutil.rmtree(old)
    new.replace(old)


def _encoded(content: bytes | str) -> bytes:
    return content.encode() if isinstance(content, str) else content
