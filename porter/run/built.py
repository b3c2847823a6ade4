"""A finished build, as the runner sees it: its `build.json` and its files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import attrs
import numpy as np
from attrs import frozen

from porter.base import arguments
from porter.errors import NotBuilt
from porter.manifest import (
    MANIFEST,
    DeviceOutput,
    Manifest,
    SharedLayout,
    manifest_of,
    read_document,
)
from porter.run.record import dtype_of
from porter.run.status import PREFIX, Status, statuses
from porter.verified import verified


@frozen(slots=False)
class Built:
    """The build in `folder`. manifest: its `build.json` as JSON has it; whole: as attrs classes."""

    folder: Path
    manifest: Mapping[str, Any] = attrs.field(repr=False)
    whole: Manifest = attrs.field(repr=False)

    @property
    def config(self) -> Mapping[str, Any]:
        """The configuration, by BuildConfig's field names."""
        return self.whole.inputs.config

    @property
    def fences(self) -> bool:
        """Whether an access that leaves its interpreter ends it (BuildConfig.fences)."""
        return bool(self.config.get("fences", False))

    @property
    def layout(self) -> SharedLayout:
        """What C and Python share."""
        return self.whole.layout

    @cached_property
    def structs(self) -> Mapping[str, np.dtype[Any]]:
        """The dtypes of shared structs, by their C names."""
        return {name: dtype_of(shared) for name, shared in self.layout.structs.items()}

    @cached_property
    def record(self) -> np.dtype[Any]:
        """The dtype of `gpusnek_launch_t`."""
        return self.structs["gpusnek_launch_t"]

    @cached_property
    def ring(self) -> np.dtype[Any]:
        """The dtype of `gpusnek_ring_t`."""
        return self.structs["gpusnek_ring_t"]

    @cached_property
    def constants(self) -> Mapping[str, int]:
        """Flags, statuses, kinds and other constants by their C names."""
        return self.layout.constants

    @cached_property
    def status(self) -> type[Status]:
        """The statuses of interpreters, an enum: `built.status["OK"]`."""
        enums = self.layout.enums
        return statuses({**enums["gpusnek_statuses"], **enums["gpusnek_runtime_statuses"]})

    @cached_property
    def flag(self) -> type[IntEnum]:
        """A launch's flags: `built.flag["EXEC"]`."""
        return self._enum("Flag", "gpusnek_flags", "FLAG_")

    @cached_property
    def kind(self) -> type[IntEnum]:
        """How sources are compiled: FILE, SINGLE, EVAL, CONTINUE, COMPLETE; COMPILE, CODE."""
        return self._enum("Kind", "gpusnek_kinds")

    @cached_property
    def bind(self) -> type[IntEnum]:
        """Kinds of bindings: `built.bind["MEMORY"]`."""
        return self._enum("Bind", "gpusnek_bind_kinds", "BIND_")

    @cached_property
    def seen(self) -> type[IntEnum]:
        """Kinds of values that interpreters note of a program: INT, FLOAT, BOOL, OTHER."""
        return self._enum("Seen", "gpusnek_seen", "SEEN_")

    @cached_property
    def value(self) -> type[IntEnum]:
        """Kinds of what programs leave: `built.value["INT"]`."""
        return self._enum("Value", "gpusnek_value_kinds", "VALUE_")

    @cached_property
    def lack(self) -> type[IntEnum]:
        """What was too small for a program: NOTHING, HEAP, PYSTACK, STACK."""
        return self._enum("Lack", "gpusnek_lacks", "LACK_")

    @cached_property
    def interrupt(self) -> type[IntEnum]:
        """Values of the interrupt word: NONE, STOP."""
        return self._enum("Interrupt", "gpusnek_interrupts", "INTERRUPT_")

    def with_choices(self, values: Mapping[str, Any]) -> Built:
        """This build where launches that say nothing take `values`, by BuildConfig's names."""
        inputs = self.whole.inputs
        config = {**inputs.config, **values}
        whole = attrs.evolve(self.whole, inputs=attrs.evolve(inputs, config=config))
        written = {**self.manifest["inputs"], "config": config}
        return Built(self.folder, {**self.manifest, "inputs": written}, whole)

    def __reduce__(self) -> tuple[Any, ...]:
        # Without what was made of these on the way: an enum of this build is in no module.
        return (Built, (self.folder, self.manifest, self.whole))

    def _enum(self, name: str, tag: str, prefix: str = "") -> type[IntEnum]:
        values = self.layout.enums[tag].items()
        members = {c_name.removeprefix(PREFIX + prefix): value for c_name, value in values}
        return cast("type[IntEnum]", IntEnum(name, members))

    def file(self, target: str, name: str) -> Path:
        """Return the path of a target's file, whose content is as the build left it.

        Args:
            target: `host`, another variant of the host twin, or `cuda`.
            name: The file below the target's folder.

        Raises:
            NotBuilt: `build.json` lists no such file.
            BuildDamaged: The file is missing or was changed.
        """
        output = self.whole.targets.get(target)
        relative = f"{target}/{name}"
        if output is None or relative not in output.files:
            raise NotBuilt(
                f"{self.folder}: there is no {target} build",
                hint=f"Run `porter build --target {target.split('-')[0]}`.",
            )
        return verified(self.folder / relative, output.files[relative])

    def check(self, target: str, names: Iterable[str]) -> None:
        """Verify those of `names`, files of `target`, that the build has. Raises BuildDamaged."""
        output = self.whole.targets[target]
        for name in names:
            if f"{target}/{name}" in output.files:
                self.file(target, name)


def device_output(built: Built) -> DeviceOutput:
    """What `build.json` says of the device build. Raises NotBuilt."""
    output = built.whole.targets.get("cuda")
    if isinstance(output, DeviceOutput):
        return output
    raise NotBuilt(
        f"{built.folder}: there is no cuda build", hint="Run `porter build --target cuda`."
    )


def device_code(built: Built) -> Path:
    """The cubin or fatbin of a build. Raises NotBuilt."""
    return built.file("cuda", Path(device_output(built).code).name)


def running_files(built: Built, target: str) -> tuple[str, ...]:
    """What runs `target`, below the build's folder: of a device build not what users link."""
    output = built.whole.targets[target]
    if not isinstance(output, DeviceOutput):
        return tuple(output.files)
    # PTX is for GPUs that the build has no machine code for.
    ptx = [name for name in output.files if output.ptx and name.endswith(".ptx")]
    return (output.code, *sorted(ptx))


def open_build(folder: str | os.PathLike[str]) -> Built:
    """The build in `folder`. Raises NotBuilt unless it is whole; WrongType."""
    folder = arguments.path(folder, "folder")
    document = read_document(folder)
    return Built(folder.resolve(), document, manifest_of(document, folder / MANIFEST))
