"""Remembers what a stage gave for its inputs, so that equal inputs do not run it again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from porter.base import paths
from porter.base.files import write_whole
from porter.base.reading import read_json, structured
from porter.compile.manifest import read_manifest
from porter.errors import FileProblem


@frozen
class _Kept:
    """A file of the memory: what a stage gave for `key`."""

    key: str
    result: Any


@frozen
class StageMemory:
    """Results of the stages of one release, a JSON file each, below the folder `folder`."""

    folder: Path

    @classmethod
    def of(cls, release: str) -> StageMemory:
        """The memory of `release`, among the builds."""
        return cls(paths.build_dir() / "regress" / release)

    def recall(self, stage: str, key: str) -> Any:
        """What `stage` gave for `key`; None when it was not run, or for something else."""
        path = self.folder / f"{stage}.json"
        try:
            kept = structured(read_json(path, FileProblem), _Kept, path, FileProblem)
        except FileProblem:
            return None
        return kept.result if kept.key == key else None

    def keep(self, stage: str, key: str, result: Any) -> None:
        """Remember `result`, which must be JSON."""
        text = json.dumps({"key": key, "result": result}) + "\n"
        write_whole(self.folder / f"{stage}.json", text, parents=True)


def key_of(values: Mapping[str, Any], folders: Iterable[Path] = ()) -> str:
    """A hash over `values` and over names and contents of all files of `folders`."""
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"\0{path.relative_to(folder)}\0".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def build_values(folder: Path, target: str) -> dict[str, Any]:
    """What tells a finished build from any other: configuration, and hashes of what runs."""
    manifest = read_manifest(folder) or {}
    return {
        "target": target,
        "config": manifest.get("inputs", {}).get("config"),
        "files": manifest.get("targets", {}).get(target, {}).get("files"),
    }
