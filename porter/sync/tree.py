"""What a MicroPython source tree is, which release it holds, and its hash."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from porter.errors import CorruptSource

# What porter reads and what its tests run. The rest (ports, drivers, vendor libraries) differs
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
    """Raise CorruptSource unless `root` looks like a whole MicroPython tree."""
    lacking = [name for name in REQUIRED if not (root / name).exists()]
    if lacking:
        raise CorruptSource(
            f"{root} is not a MicroPython source tree: no {', '.join(lacking)}",
            hint="Give the folder or tarball that holds py/, extmod/ and shared/.",
        )


def release_of(root: Path) -> str:
    """The release that `py/mpconfig.h` names: `1.26.1`, or `1.27.0-preview`."""
    text = (root / VERSION_FILE).read_text(encoding="utf-8", errors="replace")
    return version_in(text, str(root))


def version_in(text: str, where: str) -> str:
    """The release that the `text` of a py/mpconfig.h in `where` names. Raises CorruptSource."""
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
    """Relative POSIX paths of all files that count for the hash, sorted."""
    found = []
    for top in HASHED:
        for path in (root / top).rglob("*"):
            relative = path.relative_to(root)
            if IGNORED_FOLDERS.isdisjoint(relative.parts) and path.is_file():
                found.append(relative.as_posix())
    return sorted(found)


def tree_hash(root: Path) -> str:
    """`sha256:` and the hash over paths and contents of the folders in HASHED.

    Git, Debian's repack and a release's tarball give one hash. File modes do not count.
    """
    total = hashlib.sha256()
    for name in hashed_files(root):
        content = hashlib.sha256((root / name).read_bytes()).hexdigest()
        total.update(f"{content}  {name}\n".encode())
    return f"sha256:{total.hexdigest()}"
