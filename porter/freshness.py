"""Freshness of a finished build, checked at every start from file metadata.

A finished build keeps a fingerprint of its inputs and outputs. If both are unchanged, no stage runs
and no lock is taken, so that a build of another user can be used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from porter import toolchain
from porter.base import paths
from porter.base.files import read_sealed, write_sealed
from porter.base.fingerprint import content_digest, file_digest, fingerprint
from porter.compile.build_record import read_manifest
from porter.compile.cuda import cuda_folder
from porter.compile.host import host_folder
from porter.config import BuildConfig
from porter.generate.frozen import read_manifest as read_modules
from porter.generate.generate_stage import LIBRARY_FOLDER
from porter.sync.store import Synced
from porter.version import __version__

FOLDER = ".freshness"
_NOT_INPUTS = frozenset({"__pycache__", "_data", "baseline.json"})
_MADE = ("src", "genhdr", "pre", "frozen", "cxx", "units.json")


@frozen
class Freshness:
    """The freshness record of a build: configuration, host variant, register cap and folder."""

    config: BuildConfig
    folder: Path
    variant: str
    registers: int
    synced: Synced

    @property
    def out(self) -> Path:
        """The finished build's own folder."""
        return self.folder / self.config.key()

    @property
    def path(self) -> Path:
        """The file of the record."""
        parts = [self.config.key(), *self.config.targets, self.variant, f"r{self.registers}"]
        return self.folder / FOLDER / f"{'-'.join(parts)}.json"

    def inputs(self) -> str:
        """Return the fingerprint of the current inputs; empty if they were changed just now."""
        files = fingerprint((*self._inputs(), *self._programs()), _NOT_INPUTS.__contains__)
        # Files younger than a clock tick may still change without a new timestamp.
        return self._key(files.digest) if files.settled else ""

    def current(self) -> Mapping[str, Any] | None:
        """Return the values kept with the build if it is up to date; else None."""
        kept = read_sealed(self.path)
        inputs = self.inputs()
        if kept is None or not inputs or kept["inputs"] != inputs:
            return None
        return kept if kept["made"] == self._made() else None

    def equal(self) -> Mapping[str, Any] | None:
        """Return what `current` returns, but compare contents.

        It serves builds that were copied or are read-only.
        """
        kept = read_sealed(self.path)
        manifest = read_manifest(self.out)
        if kept is None or manifest is None or kept["content"] != self._content():
            return None
        files = [
            (self.out / name, row["sha256"])
            for target in manifest["targets"].values()
            for name, row in target["files"].items()
        ]
        whole = all(path.is_file() and file_digest(path) == wanted for path, wanted in files)
        return kept if whole else None

    def keep(self, inputs: str, values: Mapping[str, Any]) -> None:
        """Record a finished build.

        Args:
            inputs: The fingerprint of the inputs before the build began.
            values: Values to return from `current`.
        """
        self.path.parent.mkdir(exist_ok=True)
        document = {**values, "inputs": inputs, "made": self._made(), "content": self._content()}
        write_sealed(self.path, document)

    def _inputs(self) -> Iterable[Path]:
        package = Path(__file__).resolve().parent
        return (
            paths.templates_dir(),
            paths.patches_dir(),
            package,
            self.synced.path / LIBRARY_FOLDER,
            *self._frozen(),
        )

    def _frozen(self) -> tuple[Path, ...]:
        """Return the user's manifest and the modules that it lists now."""
        if not self.config.freeze:
            return ()
        manifest = Path(self.config.freeze)
        files = read_modules(self.synced.path, manifest, own=False)
        return manifest, *(file.path for file in files)

    def _programs(self) -> tuple[Path, ...]:
        targets = self.config.targets
        return toolchain.programs(host="host" in targets, cuda="cuda" in targets)

    def _made(self) -> str:
        folders = [self.folder / name for name in _MADE]
        if "host" in self.config.targets:
            folders.append(self._host_folder())
        if "cuda" in self.config.targets:
            folders.append(cuda_folder(self.folder, self.config, self.registers))
        return fingerprint([*folders, self.out], _is_ninjas).digest

    def _host_folder(self) -> Path:
        config = self.config
        return host_folder(self.folder, self.variant, config.bounds_checks, config.profile)

    def _content(self) -> str:
        return self._key(content_digest(self._inputs(), _NOT_INPUTS.__contains__))

    def _key(self, files: str) -> str:
        values = {
            "porter": __version__,
            "files": files,
            "sources": self.synced.tree,
            "config": self.config.as_dict(),
        }
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _is_ninjas(name: str) -> bool:
    return name.startswith(".ninja_")  # ninja's log and timestamps
