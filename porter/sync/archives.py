"""Unpack archives from untrusted origins: no paths outside, no special files, bounded size."""

from __future__ import annotations

import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO

from porter.errors import CorruptSource, UsageError

MAX_UNPACKED = 2 << 30  # bytes; a MicroPython tree with all its submodules is well below 1 GiB


def unpack(archive: Path, into: Path) -> Path:
    """Unpack an archive into a new folder.

    Args:
        archive: A .tar, .tar.gz, .tar.xz, .tar.bz2 or .zip file.
        into: The folder, which must not exist.

    Returns:
        The folder of the tree: the archive's single top folder, else `into`.

    Raises:
        CorruptSource: The archive is truncated or damaged, or would write outside of `into`.
        UsageError: The file cannot be read.
    """
    try:
        is_zip = zipfile.is_zipfile(archive)
        into.mkdir(parents=True)
        if is_zip:
            _unpack_zip(archive, into)
        else:
            _unpack_tar(archive, into)
    except tarfile.ReadError as error:
        raise CorruptSource(
            f"{archive}: not an archive, or a damaged one: {error}",
            hint="Known: .tar, .tar.gz, .tar.xz, .tar.bz2, .zip.",
        ) from error
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
    ) as error:
        raise CorruptSource(f"{archive}: damaged archive: {error}") from error
    except OSError as error:
        if error.errno is None:  # gzip and bz2 report damaged data so
            raise CorruptSource(f"{archive}: damaged archive: {error}") from error
        raise UsageError(f"{archive}: {error.strerror}") from error
    inside = list(into.iterdir())
    if not inside:
        raise CorruptSource(f"{archive}: an empty archive")
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else into


def _unpack_tar(archive: Path, into: Path) -> None:
    with tarfile.open(archive) as tar:
        total = 0
        for member in tar:
            total += member.size
            _check_total(archive, total)
            target = _target(archive, into, member.name)
            if member.isdir():
                target.mkdir(parents=True, exist_ok=True)
            elif member.isreg():
                source = tar.extractfile(member)
                assert source is not None
                _write(source, target, member.mode)
            elif member.issym():
                _link(archive, into, target, member.linkname)
            else:
                raise CorruptSource(f"{archive}: refuses {member.name!r}: neither file nor folder")
        _check_end(archive, tar)


def _check_end(archive: Path, tar: tarfile.TarFile) -> None:
    # tarfile accepts an end of file at a member's boundary as the end of the archive. A complete
    # archive has a block of zeros there. Reading on makes the decompressor verify its checksum.
    stream = tar.fileobj
    assert stream is not None
    while stream.read(1 << 20):
        pass
    if stream.tell() < tar.offset + tarfile.BLOCKSIZE:
        raise CorruptSource(f"{archive}: damaged archive: it ends too early")


def _target(archive: Path, into: Path, name: str) -> Path:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or parts[0] == "/" or ".." in parts or ":" in parts[0]:
        if name.rstrip("/") in ("", "."):
            return into
        raise CorruptSource(f"{archive}: refuses to unpack {name!r}: it leads outside")
    target = into.joinpath(*parts)
    # A symlink from an earlier member must not redirect this member.
    if not target.parent.resolve().is_relative_to(into.resolve()):
        raise CorruptSource(f"{archive}: refuses to unpack {name!r}: it leads outside")
    return target


def _link(archive: Path, into: Path, target: Path, to: str) -> None:
    inside = not to.startswith("/") and (target.parent / to).resolve().is_relative_to(
        into.resolve()
    )
    if not inside:
        raise CorruptSource(f"{archive}: refuses the link {target.name!r} to {to!r}")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.symlink_to(to)


def _write(source: IO[bytes], target: Path, mode: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_symlink():
        target.unlink()
    with target.open("wb") as sink:
        shutil.copyfileobj(source, sink)
    target.chmod(0o755 if mode & 0o111 else 0o644)


def _unpack_zip(archive: Path, into: Path) -> None:
    with zipfile.ZipFile(archive) as bundle:
        _check_total(archive, sum(info.file_size for info in bundle.infolist()))
        for info in bundle.infolist():
            target = _target(archive, into, info.filename)
            mode = info.external_attr >> 16
            if info.is_dir():
                target.mkdir(parents=True, exist_ok=True)
            elif stat.S_ISLNK(mode):
                _link(archive, into, target, bundle.read(info).decode("utf-8", "replace"))
            else:
                with bundle.open(info) as source:  # checks the CRC
                    _write(source, target, mode)


def _check_total(archive: Path, total: int) -> None:
    if total > MAX_UNPACKED:
        raise CorruptSource(f"{archive}: unpacks to more than {MAX_UNPACKED >> 30} GiB")
