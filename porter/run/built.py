"""A finished build, as the runner sees it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from attrs import frozen

from porter.base import arguments
from porter.errors import NotBuilt
from porter.run.record import constants, layouts


@frozen(slots=False)
class Built:
    """The build in `folder`: its `build.json` and the headers it was compiled with."""

    folder: Path
    manifest: Mapping[str, Any] = attrs.field(repr=False)

    @property
    def config(self) -> Mapping[str, Any]:
        """The configuration, by BuildConfig's field names."""
        values: Mapping[str, Any] = self.manifest["inputs"]["config"]
        return values

    @cached_property
    def structs(self) -> Mapping[str, np.dtype[Any]]:
        """The dtypes of launch.h's structs, by their C names."""
        return layouts(self.folder / "include" / "launch.h")

    @cached_property
    def record(self) -> np.dtype[Any]:
        """The dtype of `gpusnek_launch_t`."""
        return self.structs["gpusnek_launch_t"]

    @cached_property
    def info(self) -> tuple[str, ...]:
        """The fields of `gpusnek_info_t`."""
        return layouts(self.folder / "include" / "launch.h")["gpusnek_info_t"].names or ()

    @cached_property
    def ring(self) -> np.dtype[Any]:
        """The dtype of `gpusnek_ring_t`."""
        return layouts(self.folder / "include" / "interp.h")["gpusnek_ring_t"]

    @cached_property
    def constants(self) -> Mapping[str, int]:
        """Flags, statuses and kinds by their C names."""
        include = self.folder / "include"
        return constants(include / "launch.h", include / "interp.h")

    def file(self, target: str, name: str) -> Path:
        """A file of a target; NotBuilt when the manifest does not vouch for it."""
        files = self.manifest["targets"].get(target, {}).get("files", {})
        relative = f"{target}/{name}"
        if relative not in files or not (self.folder / relative).is_file():
            raise NotBuilt(
                f"{self.folder}: there is no {target} build",
                hint=f"Run `porter build --target {target.split('-')[0]}`.",
            )
        return self.folder / relative


def open_build(folder: str | os.PathLike[str]) -> Built:
    """The build in `folder`. Raises NotBuilt unless it is whole; WrongType."""
    folder = arguments.path(folder, "folder")
    path = folder / "build.json"
    try:
        manifest = json.loads(path.read_text())
    except OSError as error:
        raise NotBuilt(f"{folder}: there is no finished build", hint="Run `porter build`.") from (
            error
        )
    except ValueError as error:
        raise NotBuilt(f"{path}: not a manifest: {error}", hint="Run `porter build`.") from error
    if not isinstance(manifest, dict) or not {"inputs", "targets"} <= manifest.keys():
        raise NotBuilt(f"{path}: not a manifest", hint="Run `porter build`.")
    return Built(folder.resolve(), manifest)
