"""Hash everything that generation reads, to know whether it must run again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

# Folders of a release whose files reach units or generators, and the suffixes that are hashed.
LIBRARY_FOLDER = "lib"  # the lock's hash covers a part of this folder
UPSTREAM_FOLDERS = ("py", "extmod", "shared", LIBRARY_FOLDER, "tools")
SUFFIXES = frozenset({".c", ".h", ".mk", ".py", ".j2", ".md", ".inc"})


def tree_files(folders: Iterable[Path]) -> list[Path]:
    """Return the files below `folders` with one of SUFFIXES, sorted."""
    found = (p for folder in folders for p in folder.rglob("*") if p.suffix in SUFFIXES)
    return sorted(path for path in found if path.is_file())


def digest_of(folders: Iterable[Path], values: Mapping[str, object]) -> str:
    """Return a SHA-256 of `values` and of the names and contents of the files in `folders`."""
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for path in tree_files(folders):
        digest.update(f"\0{path}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
