"""Remember the results of stages, so that a stage with equal inputs does not run again."""

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
from porter.compile.build_record import read_manifest
from porter.errors import FileProblem


@frozen
class _Kept:
    """A file of the memory: the result of a stage for `key`."""

    key: str
    result: Any


@frozen
class StageMemory:
    """The results of one release's stages, each in a JSON file in `folder`."""

    folder: Path

    @classmethod
    def of(cls, release: str) -> StageMemory:
        """Open the memory of `release`, in the build folder."""
        return cls(paths.build_dir() / "regress" / release)

    def recall(self, stage: str, key: str) -> Any:
        """Return the result of `stage` for `key`; None if it did not run for this key."""
        path = self.folder / f"{stage}.json"
        try:
            kept = structured(read_json(path, FileProblem), _Kept, path, FileProblem)
        except FileProblem:
            return None
        return kept.result if kept.key == key else None

    def keep(self, stage: str, key: str, result: Any) -> None:
        """Store `result`, which must be JSON."""
        text = json.dumps({"key": key, "result": result}) + "\n"
        write_whole(self.folder / f"{stage}.json", text, parents=True)


def key_of(values: Mapping[str, Any], folders: Iterable[Path] = ()) -> str:
    """Hash `values`, and the names and contents of all files of `folders`."""
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode())
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"\0{path.relative_to(folder)}\0".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def build_values(folder: Path, target: str) -> dict[str, Any]:
    """Return values that identify a finished build: its configuration and the hashes of files."""
    manifest = read_manifest(folder) or {}
    return {
        "target": target,
        "config": manifest.get("inputs", {}).get("config"),
        "files": manifest.get("targets", {}).get(target, {}).get("files"),
    }
