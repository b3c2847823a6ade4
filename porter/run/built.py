"""A finished build, as the runner sees it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import attrs
import numpy as np
from attrs import frozen

from porter import arguments
from porter.errors import NotBuilt
from porter.run.record import constants, layouts
from porter.run.status import Status, statuses


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

    @cached_property
    def status(self) -> type[Status]:
        """The statuses of interpreters, an enum: `built.status["OK"]`."""
        names = {name: value for name, value in self.constants.items() if _is_status(name)}
        return statuses(names)

    @cached_property
    def flag(self) -> type[IntEnum]:
        """A launch's flags: `built.flag["EXEC"]`."""
        return self._family("flag", "FLAG_")

    @cached_property
    def kind(self) -> type[IntEnum]:
        """How sources are compiled: FILE, SINGLE, EVAL, CONTINUE, COMPLETE; COMPILE, CODE."""
        names = ("FILE", "SINGLE", "EVAL", "CONTINUE", "COMPLETE", "COMPILE", "CODE")
        return _enum("kind", {name: self.constants[f"GPUSNEK_{name}"] for name in names})

    @cached_property
    def bind(self) -> type[IntEnum]:
        """Kinds of bindings: `built.bind["MEMORY"]`."""
        return self._family("bind", "BIND_")

    @cached_property
    def value(self) -> type[IntEnum]:
        """Kinds of what programs leave: `built.value["INT"]`."""
        return self._family("value", "VALUE_")

    @cached_property
    def lack(self) -> type[IntEnum]:
        """What was too small for a program: NOTHING, HEAP, PYSTACK, STACK."""
        return self._family("lack", "LACK_")

    @cached_property
    def interrupt(self) -> type[IntEnum]:
        """Values of the interrupt word: NONE, STOP."""
        return self._family("interrupt", "INTERRUPT_")

    def _family(self, name: str, prefix: str) -> type[IntEnum]:
        whole = f"GPUSNEK_{prefix}"
        members = {k.removeprefix(whole): v for k, v in self.constants.items() if whole in k}
        return _enum(name, members)

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


def _enum(name: str, members: Mapping[str, int]) -> type[IntEnum]:
    return cast("type[IntEnum]", IntEnum(name.capitalize(), dict(members)))


_PORT = frozenset(
    "OK EXCEPTION EXIT SYNTAX_ERROR STOPPED NO_MEMORY NO_FILE_SYSTEM NOT_STARTED MORE".split()
)


def _is_status(name: str) -> bool:
    return name.startswith("GPUSNEK_STATUS_") or name.removeprefix("GPUSNEK_") in _PORT


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
