"""The finished builds inside a wheel, usable without sources and compilers.

A wheel contains porter and builds made by this porter. So a build's inputs need not be compared:
its configuration tells which requests it serves. Bundled builds are never written.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import frozen

from porter.base import paths
from porter.base.architectures import Architectures
from porter.config import FIELDS, SIZE_BOUNDS, BuildConfig
from porter.errors import NotBuilt
from porter.manifest import MANIFEST, Manifest, open_manifest
from porter.verified import damaged

# The fields that are compiled into every build: all but sizes, which are parameters of a launch,
# and fields of device code, which `lacks` compares.
_FIXED = tuple(name for name in FIELDS if name not in (*SIZE_BOUNDS, "target", "arch", "arena"))


@frozen
class Bundled:
    """A finished build in a folder, with its `build.json`."""

    folder: Path
    manifest: Manifest

    def lacks(self, config: BuildConfig) -> tuple[str, ...]:
        """Return the reasons why this build does not serve `config`; empty if it does."""
        has, targets = self.manifest.inputs.config, self.manifest.targets
        wrong = [
            f"{name} is {_shown(value)}, not {_shown(getattr(config, name))}"
            for name in _FIXED
            # Builds made before this field existed have it off.
            if (value := has.get(name, type(getattr(config, name))())) != getattr(config, name)
        ]
        wrong += [f"it is not built for {t}" for t in config.targets if t not in targets]
        if "cuda" in config.targets and "cuda" in targets:
            if not Architectures.of(has["arch"]).serve(config.architectures):
                wrong.append(f"arch is {has['arch']}, not {config.arch}")
            if has["arena"] != config.arena:
                wrong.append(f"arena is {has['arena']}, not {config.arena}")
            # With arenas in local memory, device code has the maximum C stack compiled in.
            elif config.arena == "local" and config.stack > has["stack"]:
                wrong.append(f"stack is {has['stack']}, not {config.stack}")
        return tuple(wrong)

    def damaged(self) -> tuple[str, ...]:
        """Return the files that differ from `build.json`."""
        return damaged(self.folder, self.manifest)


def bundled_builds() -> Iterator[Bundled]:
    """Yield the readable builds of the wheel; none in a checkout."""
    root = paths.bundled_dir()
    for path in sorted(root.glob(f"*/{MANIFEST}")) if root is not None else ():
        try:
            yield Bundled(path.parent, open_manifest(path.parent))
        except NotBuilt:
            continue  # `porter doctor` reports it


def serving(config: BuildConfig) -> Path | None:
    """Return the folder of a build that serves `config`; None if there is none."""
    return next((one.folder for one in bundled_builds() if not one.lacks(config)), None)


def choices_of(config: BuildConfig) -> dict[str, Any]:
    """Return the fields of `config` that a launch of a finished build can still choose."""
    return {name: getattr(config, name) for name in (*SIZE_BOUNDS, "arena")}


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
