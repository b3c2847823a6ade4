"""Hatchling's hook for wheels: finished builds go in if PORTER_BUNDLE names some.

`porter bundle FOLDER` makes that folder. Without PORTER_BUNDLE the wheel is pure Python, and every
machine builds for itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "PORTER_BUNDLE"
INSIDE = "porter/_data/builds"  # porter/base/paths.py finds it there


class BundleHook(BuildHookInterface):  # type: ignore[misc]
    """Adds the builds in the folder that PORTER_BUNDLE names, and the platform to the tag."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is made; an editable one takes nothing along."""
        named = os.environ.get(VARIABLE)
        if version == "editable" or not named:
            return
        folder = Path(self.root, named).resolve()
        builds = sorted(path.parent for path in folder.glob("*/build.json"))
        if not builds:
            raise SystemExit(f"{VARIABLE}: no finished build in {folder}: run `porter bundle`")
        for build in builds:
            self._check(build)
            build_data["force_include"][str(build)] = f"{INSIDE}/{build.name}"
        build_data["pure_python"] = False
        # Any Python: the host twin is loaded by ctypes and knows nothing of CPython.
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"

    def _check(self, build: Path) -> None:
        """Stop unless the files are there and this porter made them."""
        manifest = json.loads((build / "build.json").read_text(encoding="utf-8"))
        files = dict(manifest.get("headers", {}))
        for output in manifest["targets"].values():
            files |= output["files"]
        missing = [name for name in (*files, "LICENSES.txt") if not (build / name).is_file()]
        if missing:
            raise SystemExit(f"{VARIABLE}: {build} lacks {', '.join(missing)}: run `porter bundle`")
        damaged = [
            name for name, recorded in files.items() if _sha256(build / name) != recorded["sha256"]
        ]
        if damaged:
            raise SystemExit(
                f"{VARIABLE}: {build}: {', '.join(damaged)} changed since: run `porter bundle`"
            )
        made, own = manifest["inputs"]["porter"], self.metadata.version
        if made != own:
            raise SystemExit(f"{VARIABLE}: porter {made} made {build}; this is porter {own}")


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
