"""One number for everything that generation reads, to know whether it must run again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

# Folders of a release whose files reach units or generators, and what counts in them.
LIBRARY_FOLDER = "lib"  # of it the lock's hash covers a part
UPSTREAM_FOLDERS = ("py", "extmod", "shared", LIBRARY_FOLDER, "tools")
SUFFIXES = frozenset({".c", ".h", ".mk", ".py", ".j2", ".md", ".inc"})


def tree_files(folders: Iterable[Path]) -> list[Path]:
    """Files below `folders` that count, sorted."""
    found = (p for folder in folders for p in folder.rglob("*") if p.suffix in SUFFIXES)
    return sorted(path for path in found if path.is_file())


def digest_of(folders: Iterable[Path], values: Mapping[str, object]) -> str:
    """SHA-256 over the names and contents of `folders`' files and over `values`."""
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for path in tree_files(folders):
        digest.update(f"\0{path}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
