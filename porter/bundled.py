"""Finished builds that came inside the wheel: what they serve, without sources and compilers.

A wheel holds porter and builds of one making, so what a build was made from need not be compared:
its configuration tells what it serves. Nothing is ever written there.
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
from porter.manifest import MANIFEST, Manifest, damaged, open_manifest

# What is compiled into every build: all choices but sizes, which are a launch's matter, and those
# of device code, which `lacks` looks at.
_FIXED = tuple(name for name in FIELDS if name not in (*SIZE_BOUNDS, "target", "arch", "arena"))


@frozen
class Bundled:
    """The finished build in `folder`, and its `build.json`."""

    folder: Path
    manifest: Manifest

    def lacks(self, config: BuildConfig) -> tuple[str, ...]:
        """What keeps this build from serving `config`, a phrase each; empty where it serves."""
        has, targets = self.manifest.inputs.config, self.manifest.targets
        wrong = [
            f"{name} is {_shown(value)}, not {_shown(getattr(config, name))}"
            for name in _FIXED
            # Builds that were made before there was this choice have it off.
            if (value := has.get(name, type(getattr(config, name))())) != getattr(config, name)
        ]
        wrong += [f"it is not built for {t}" for t in config.targets if t not in targets]
        if "cuda" in config.targets and "cuda" in targets:
            if not Architectures.of(has["arch"]).serve(config.architectures):
                wrong.append(f"arch is {has['arch']}, not {config.arch}")
            if has["arena"] != config.arena:
                wrong.append(f"arena is {has['arena']}, not {config.arena}")
            # Device code with arenas in local memory has the most of C stack compiled in.
            elif config.arena == "local" and config.stack > has["stack"]:
                wrong.append(f"stack is {has['stack']}, not {config.stack}")
        return tuple(wrong)

    def damaged(self) -> tuple[str, ...]:
        """Files that are not as `build.json` has them."""
        return damaged(self.folder, self.manifest)


def bundled_builds() -> Iterator[Bundled]:
    """Those of the wheel that can be read; none in a checkout."""
    root = paths.bundled_dir()
    for path in sorted(root.glob(f"*/{MANIFEST}")) if root is not None else ():
        try:
            yield Bundled(path.parent, open_manifest(path.parent))
        except NotBuilt:
            continue  # `porter doctor` lists what is there


def serving(config: BuildConfig) -> Path | None:
    """The folder of the build that serves `config`; None where there is none."""
    return next((one.folder for one in bundled_builds() if not one.lacks(config)), None)


def choices_of(config: BuildConfig) -> dict[str, Any]:
    """What `config` chooses that a finished build leaves to a launch, by BuildConfig's names."""
    return {name: getattr(config, name) for name in (*SIZE_BOUNDS, "arena")}


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
