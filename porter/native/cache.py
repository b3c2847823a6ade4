"""The on-disk cache of native code, keyed by digests of its inputs, with the C++ of each entry.

An entry is a folder that is renamed into place, so readers see complete entries only. The native
code is checked against the digest in the entry's record before it is loaded. An entry that fails
the check is compiled again.
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

from porter.base.files import read_sealed, replace_folder, write_sealed
from porter.base.fingerprint import file_digest
from porter.base.locks import locked
from porter.base.paths import natives_dir
from porter.errors import BuildFailed

MOST_BYTES = 512 << 20  # maximum of all entries together; least recently used entries go first
_RECORD, _TEXT, _MACHINE = "module.json", "module.cpp", "module"
_BEGUN = ".new-"  # prefix of folders that are not in place yet
_FULL = (errno.ENOSPC, errno.EDQUOT)

Make = Callable[[Path, Path], Mapping[str, Any]]


@frozen
class CacheEntry:
    """Native code on disk.

    Attributes:
        machine: File of the native code.
        record: The values that `make` returned, and the digest of `machine`.
        cached: Whether the entry existed before.
        kept: Whether the entry is in the cache, and not in a temporary folder.
    """

    machine: Path
    record: Mapping[str, Any]
    cached: bool = False
    kept: bool = True

    @property
    def text(self) -> Path:
        """File of the C++ that the native code was compiled from."""
        return self.machine.with_name(_TEXT)


@contextmanager
def entry_of(key: str, suffix: str, make: Make) -> Iterator[CacheEntry]:
    """Provide the cache entry of a key, and create it if it does not exist.

    If the cache cannot be written, the entry is in a temporary folder, which is removed at the end
    of the `with` block. Code that was loaded in the block stays loaded.

    Args:
        key: Digest of all inputs.
        suffix: Suffix of the file of native code.
        make: Function from the paths of the C++ and of the native code to the values to record. It
            writes both files. Its exceptions are passed on.
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
    """Remove the entry of `key`, whose native code does not load."""
    shutil.rmtree(natives_dir() / key, ignore_errors=True)


def _added(root: Path, key: str, suffix: str, make: Make) -> CacheEntry:
    """Create an entry, unless another process or thread has created it meanwhile."""
    root.mkdir(parents=True, exist_ok=True)
    # One lock per first digit of the keys, so that compilations of different keys seldom wait.
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
    """Return the entry in `folder` if it is complete and undamaged."""
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
        os.utime(folder / _RECORD)  # the time of the last use
    return CacheEntry(machine, record, cached=True)


def _full(error: BuildFailed) -> bool:
    return any(os.strerror(number) in error.message for number in _FULL)


def _shrink(root: Path, keep: str) -> None:
    """Remove least recently used entries, except `keep`, until the rest fits in MOST_BYTES."""
    aged = sorted(_aged(root), reverse=True)
    total = 0
    for _, size, path in aged:
        total += size
        if total > MOST_BYTES and path.name != keep:
            shutil.rmtree(path, ignore_errors=True)


def _aged(root: Path) -> Iterator[tuple[float, int, Path]]:
    """Yield each entry's time of last use, size in bytes, and folder."""
    for folder in root.iterdir():
        # The unfinished folder of a killed process counts as an entry.
        with suppress(OSError):
            files = [path.stat() for path in folder.rglob("*") if path.is_file()]
            if files:
                yield max(f.st_mtime for f in files), sum(f.st_size for f in files), folder
