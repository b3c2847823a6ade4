"""Recognize a MicroPython source tree, read its release, and hash it."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from porter.errors import CorruptSource

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
