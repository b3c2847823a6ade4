"""Machine code kept on disk, by what it was made from, the readable C++ beside it.

Each entry is a folder that is renamed into place, so readers see whole ones. What an entry holds is
checked against its own record before anything of it is loaded; what does not fit is made again.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from attrs import frozen

from porter.base.files import replace_folder
from porter.base.fingerprint import file_digest
from porter.base.locking import locked
from porter.base.paths import natives_dir
from porter.base.sealed import read_sealed, write_sealed
from porter.errors import BuildFailed

MOST_BYTES = 512 << 20  # of all entries; the oldest go first
_RECORD, _TEXT, _MACHINE = "module.json", "module.cpp", "module"
_BEGUN = ".new-"  # of folders that are not in place yet
_FULL = (errno.ENOSPC, errno.EDQUOT)

Make = Callable[[Path, Path], Mapping[str, Any]]


@frozen
class CacheEntry:
    """Machine code on disk: where it is, and the record of it.

    cached: it was there before. kept: it stays.
    """

    machine: Path
    record: Mapping[str, Any]
    cached: bool = False
    kept: bool = True

    @property
    def text(self) -> Path:
        """The C++ that it was made of."""
        return self.machine.with_name(_TEXT)


@contextmanager
def entry_of(key: str, suffix: str, make: Make) -> Iterator[CacheEntry]:
    """The entry of `key`, while the block loads it; `make` writes text and machine code.

    make: gets where the text goes and where the machine code goes, and returns what to record.
    Where the cache cannot be written, the entry is gone at the end of the block: what is loaded
    stays. Raises what `make` raises.
    """
    root = natives_dir()
    found = _read(root / key, suffix)
    if found is None:
        try:
            found = _added(root, key, suffix, make)
        except (OSError, BuildFailed) as error:
            if isinstance(error, BuildFailed) and not _full(error):
                raise
    if found is not None:
        yield found
        return
    with tempfile.TemporaryDirectory(prefix="gpusnek-") as folder:
        yield _made(Path(folder), suffix, make)


def forget(key: str) -> None:
    """Remove the entry of `key`: what it holds does not load."""
    shutil.rmtree(natives_dir() / key, ignore_errors=True)


def _added(root: Path, key: str, suffix: str, make: Make) -> CacheEntry:
    """Make an entry and put it in place, unless another process or thread has done so meanwhile."""
    root.mkdir(parents=True, exist_ok=True)
    # One lock for each digit that keys begin with: who makes other programs seldom waits.
    with locked(root / f"lock-{key[0]}", say=lambda text: None):
        found = _read(root / key, suffix)
        if found is not None:
            return found
        with tempfile.TemporaryDirectory(prefix=_BEGUN, dir=root) as folder:
            begun = Path(folder, key)
            begun.mkdir()
            entry = _made(begun, suffix, make)
            replace_folder(begun, root / key)
        _shrink(root, keep=key)
        return CacheEntry(root / key / entry.machine.name, entry.record)


def _made(folder: Path, suffix: str, make: Make) -> CacheEntry:
    machine = folder / f"{_MACHINE}{suffix}"
    record = {**make(folder / _TEXT, machine), "sha256": file_digest(machine)}
    write_sealed(folder / _RECORD, record)
    return CacheEntry(machine, record, kept=False)


def _read(folder: Path, suffix: str) -> CacheEntry | None:
    """The entry in `folder` if it is whole."""
    record = read_sealed(folder / _RECORD)
    if record is None:
        return None
    machine = folder / f"{_MACHINE}{suffix}"
    try:
        if file_digest(machine) != record["sha256"] or not (folder / _TEXT).is_file():
            return None
    except OSError:
        return None
    with suppress(OSError):  # a cache that this user may only read
        os.utime(folder / _RECORD)  # it was used now
    return CacheEntry(machine, record, cached=True)


def _full(error: BuildFailed) -> bool:
    return any(os.strerror(number) in error.message for number in _FULL)


def _shrink(root: Path, keep: str) -> None:
    """Remove entries that were used longest ago, but for `keep`, until the rest is small enough."""
    aged = sorted(_aged(root), reverse=True)
    total = 0
    for _, size, path in aged:
        total += size
        if total > MOST_BYTES and path.name != keep:
            shutil.rmtree(path, ignore_errors=True)


def _aged(root: Path) -> Iterator[tuple[float, int, Path]]:
    """When each entry was used last, its bytes, and its folder."""
    for folder in root.iterdir():
        # What a process left that was ended in the middle counts as an entry.
        with suppress(OSError):
            files = [path.stat() for path in folder.rglob("*") if path.is_file()]
            if files:
                yield max(f.st_mtime for f in files), sum(f.st_size for f in files), folder
