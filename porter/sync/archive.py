"""Read release and commit from an archive without unpacking it."""

from __future__ import annotations

import lzma
import re
import tarfile
import zipfile
import zlib
from pathlib import Path

from porter.errors import CorruptSource
from porter.sync.tree import VERSION_FILE, version_in

SUFFIXES = (".tar", ".tgz", ".txz", ".tar.gz", ".tar.xz", ".tar.bz2", ".zip")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_DAMAGED = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    ValueError,
)


def is_archive(path: Path) -> bool:
    """Return whether `path` is a file with an archive's suffix."""
    return path.name.endswith(SUFFIXES) and path.is_file()


def archived_release(archive: Path) -> str:
    """Return the release in the archive's py/mpconfig.h. Raises CorruptSource."""
    text = None
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as bundle:
                names = [name for name in bundle.namelist() if _is_version_file(name)]
                text = bundle.read(names[0]) if names else None
        else:
            with tarfile.open(archive) as tar:
                for member in tar:
                    if member.isfile() and _is_version_file(member.name):
                        source = tar.extractfile(member)
                        text = source.read() if source is not None else None
                        break
    except _DAMAGED as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(":")
        raise CorruptSource(f"{archive}: not an archive, or a damaged one: {reason}") from error
    if text is None:
        raise CorruptSource(f"{archive}: there is no {VERSION_FILE} in it")
    return version_in(text.decode("utf-8", "replace"), str(archive))


def archived_commit(archive: Path) -> str:
    """Return the commit that `git archive` recorded in the tarball; empty if there is none."""
    try:
        with tarfile.open(archive) as tar:
            tar.next()
            comment = tar.pax_headers.get("comment", "")
    except _DAMAGED:
        return ""
    return comment if _COMMIT.fullmatch(comment) else ""


def _is_version_file(name: str) -> bool:
    # In the root, or in the single top folder of the tree.
    parts = name.removeprefix("./").split("/")
    return "/".join(parts[-2:]) == VERSION_FILE and len(parts) <= 3
