"""MicroPython source trees: recognize, hash and copy folders, read an archive's release."""

from __future__ import annotations

import hashlib
import lzma
import os
import re
import shutil
import stat
import tarfile
import zipfile
import zlib
from pathlib import Path

from porter.errors import CorruptSource, FileProblem

# The folders that porter reads or tests. The others (ports, drivers, vendor libraries) differ
# between origins: git leaves submodules empty, Debian's repack drops a binary of one port.
HASHED = (
    "py",
    "extmod",
    "shared",
    "lib/littlefs",
    "lib/re1.5",
    "lib/uzlib",
    "lib/crypto-algorithms",
    "lib/libm",
    "lib/libm_dbl",
    "tests",
    "tools",
)
VERSION_FILE = "py/mpconfig.h"
REQUIRED = (VERSION_FILE, "py/py.mk", "py/makeqstrdefs.py", "extmod/extmod.mk", "shared")
IGNORED_FOLDERS = frozenset({"__pycache__", ".git"})


def check_tree(root: Path) -> None:
    """Raise CorruptSource unless `root` looks like a complete MicroPython tree."""
    lacking = [name for name in REQUIRED if not (root / name).exists()]
    if lacking:
        raise CorruptSource(
            f"{root} is not a MicroPython source tree: no {', '.join(lacking)}",
            hint="Give the folder or tarball that holds py/, extmod/ and shared/.",
        )


def release_of(root: Path) -> str:
    """Return the release in `py/mpconfig.h`: `1.26.1`, or `1.27.0-preview`."""
    text = (root / VERSION_FILE).read_text(encoding="utf-8", errors="replace")
    return version_in(text, str(root))


def version_in(text: str, where: str) -> str:
    """Return the release in the `text` of the py/mpconfig.h in `where`. Raises CorruptSource."""
    parts: dict[str, str] = {}
    for name in ("MAJOR", "MINOR", "MICRO", "PRERELEASE"):
        match = re.search(rf"^#define\s+MICROPY_VERSION_{name}\s+\(?(\d+)\)?", text, re.MULTILINE)
        if match is not None:
            parts[name] = match[1]
    if not {"MAJOR", "MINOR", "MICRO"} <= parts.keys():
        raise CorruptSource(
            f"{where}/{VERSION_FILE} names no release (MICROPY_VERSION_MAJOR, _MINOR, _MICRO)",
            hint="Give the release's name: `porter sync NAME --from PATH`.",
        )
    preview = "-preview" if parts.get("PRERELEASE", "0") != "0" else ""
    return f"{parts['MAJOR']}.{parts['MINOR']}.{parts['MICRO']}{preview}"


def hashed_files(root: Path) -> list[str]:
    """Return the relative POSIX paths of all files that are hashed, sorted."""
    found = []
    for top in HASHED:
        for path in (root / top).rglob("*"):
            relative = path.relative_to(root)
            if IGNORED_FOLDERS.isdisjoint(relative.parts) and path.is_file():
                found.append(relative.as_posix())
    return sorted(found)


def tree_hash(root: Path) -> str:
    """Return `sha256:` and a hash over paths and contents of the folders in HASHED.

    Git, Debian's repack and a release's tarball have equal hashes. File modes are ignored.
    """
    total = hashlib.sha256()
    for name in hashed_files(root):
        content = hashlib.sha256((root / name).read_bytes()).hexdigest()
        total.update(f"{content}  {name}\n".encode())
    return f"sha256:{total.hexdigest()}"


_KINDS = (
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device"),
)


def special(path: Path) -> str:
    """Return the kind of a special file (`a FIFO`, `a socket`, `a device`); else empty."""
    try:
        mode = path.stat(follow_symlinks=False).st_mode
    except OSError:
        return ""
    return next((name for test, name in _KINDS if test(mode)), "")


def copy_tree(source: Path, into: Path) -> Path:
    """Copy `source` to `into` without the folders of git and of Python's bytecode.

    Raises:
        CorruptSource: The tree has an entry that is no file, folder or link.
        FileProblem: An entry cannot be read.
    """
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name not in IGNORED_FOLDERS]
        for name in names:
            kind = special(Path(folder, name))
            if kind:
                raise CorruptSource(
                    f"{Path(folder, name)} is {kind}: sources are files, folders and links",
                    hint="Take it out of the folder.",
                )
    try:
        ignored = shutil.ignore_patterns(*IGNORED_FOLDERS)
        shutil.copytree(source, into, symlinks=True, ignore=ignored)
    except shutil.Error as error:  # a list of (from, to, reason)
        first = error.args[0][0]
        raise FileProblem(f"{first[0]}: cannot be copied: {first[2]}") from error
    except OSError as error:
        where = error.filename or source
        raise FileProblem(f"{where}: cannot be copied: {error.strerror}") from error
    return into


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
