"""Read access to a finished build: its `build.json` and the files that it lists.

`open_build` parses and checks `build.json`. Devices, launches and arrays take the resulting
`Built`. Making builds is the task of `porter.build`.
"""

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
from porter.base.deprecated import RENAMED_SETTINGS, RenamedKeys, renamed_attribute
from porter.errors import NotBuilt
from porter.manifest import (
    MANIFEST,
    DeviceOutput,
    Manifest,
    SharedLayout,
    SharedStruct,
    manifest_of,
    read_document,
)
from porter.run.status import PREFIX, Status, statuses
from porter.verified import verified


def dtype_of(shared: SharedStruct) -> np.dtype[Any]:
    """Return the dtype of a struct with the field offsets that the compilers report.

    Raises:
        ValueError: A field is no fixed-width integer.
    """
    formats: list[Any] = []
    for field in shared.fields:
        kind = np.dtype(field.type.removesuffix("_t")).newbyteorder("<")
        formats.append(kind if field.count is None else (kind, (field.count,)))
    return np.dtype(
        {
            "names": [field.name for field in shared.fields],
            "formats": formats,
            "offsets": [field.offset for field in shared.fields],
            "itemsize": shared.size,
        }
    )


@frozen(slots=False)
class Built:
    """A build in `folder`.

    Attributes:
        folder: The build's folder.
        manifest: `build.json` as parsed JSON.
        whole: The same document as attrs classes.
    """

    folder: Path
    manifest: Mapping[str, Any] = attrs.field(repr=False)
    whole: Manifest = attrs.field(repr=False)

    @property
    def config(self) -> Mapping[str, Any]:
        """The configuration, keyed by field names of BuildConfig."""
        return RenamedKeys(self.whole.inputs.config, RENAMED_SETTINGS)

    fences = renamed_attribute("Built", "fences", "bounds_checks")

    @property
    def bounds_checks(self) -> bool:
        """Return whether the build has bounds checks (BuildConfig.bounds_checks).

        An interpreter that accesses memory outside its own fails a check and ends.
        """
        return bool(self.config.get("bounds_checks", False))

    @property
    def layout(self) -> SharedLayout:
        """The layout of structs and constants that C and Python share."""
        return self.whole.layout

    @cached_property
    def structs(self) -> Mapping[str, np.dtype[Any]]:
        """The dtypes of shared structs, keyed by their C names."""
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
        """Flags, statuses, kinds and other constants, keyed by their C names."""
        return self.layout.constants

    @cached_property
    def status(self) -> type[Status]:
        """The build's enum of interpreter statuses: `built.status["OK"]`."""
        enums = self.layout.enums
        return statuses({**enums["gpusnek_statuses"], **enums["gpusnek_runtime_statuses"]})

    @cached_property
    def flag(self) -> type[IntEnum]:
        """The enum of launch flags: `built.flag["EXEC"]`."""
        return self._enum("Flag", "gpusnek_flags", "FLAG_")

    @cached_property
    def policy(self) -> type[IntEnum]:
        """The enum of reconvergence policies: `built.policy["MEASURED"]`."""
        return self._enum("Policy", "gpusnek_policies", "POLICY_")

    @cached_property
    def kind(self) -> type[IntEnum]:
        """The enum of compilation modes: FILE, SINGLE, EVAL, CONTINUE, COMPLETE; COMPILE, CODE."""
        return self._enum("Kind", "gpusnek_kinds")

    @cached_property
    def bind(self) -> type[IntEnum]:
        """The enum of binding types: `built.bind["MEMORY"]`."""
        return self._enum("Bind", "gpusnek_bind_kinds", "BIND_")

    @cached_property
    def seen(self) -> type[IntEnum]:
        """The enum of value types in type feedback: INT, FLOAT, BOOL, OTHER."""
        return self._enum("Seen", "gpusnek_seen", "SEEN_")

    @cached_property
    def value(self) -> type[IntEnum]:
        """The enum of return value types: `built.value["INT"]`."""
        return self._enum("Value", "gpusnek_value_kinds", "VALUE_")

    @cached_property
    def lack(self) -> type[IntEnum]:
        """The enum of exhausted resources: NOTHING, HEAP, PYSTACK, STACK; FEATURE."""
        return self._enum("Lack", "gpusnek_lacks", "LACK_")

    @cached_property
    def interrupt(self) -> type[IntEnum]:
        """The enum of values of the interrupt word: NONE, STOP."""
        return self._enum("Interrupt", "gpusnek_interrupts", "INTERRUPT_")

    @cached_property
    def identity(self) -> tuple[object, ...]:
        """The folder, and the digests of all files; equal for two openings of the same build."""
        files = sorted((name, file.sha256) for name, file in self.whole.files.items())
        return (self.folder, *files)

    def with_choices(self, values: Mapping[str, Any]) -> Built:
        """Return this build with other defaults for launches.

        Args:
            values: Defaults that replace the configuration's, keyed by field names of BuildConfig.
        """
        inputs = self.whole.inputs
        config = {**inputs.config, **values}
        whole = attrs.evolve(self.whole, inputs=attrs.evolve(inputs, config=config))
        written = {**self.manifest["inputs"], "config": config}
        return Built(self.folder, {**self.manifest, "inputs": written}, whole)

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle the constructor's arguments only: the cached enums of a build belong to no module,
        # so pickle cannot find them.
        return (Built, (self.folder, self.manifest, self.whole))

    def _enum(self, name: str, tag: str, prefix: str = "") -> type[IntEnum]:
        values = self.layout.enums[tag].items()
        members = {c_name.removeprefix(PREFIX + prefix): value for c_name, value in values}
        return cast("type[IntEnum]", IntEnum(name, members))

    def file(self, target: str, name: str) -> Path:
        """Return the path of a target's file after checking its content against `build.json`.

        Args:
            target: `host`, another variant of the host twin, or `cuda`.
            name: The file's path below the target's folder.

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
        """Verify the files `names` of `target`; skip names that the build does not list.

        Raises:
            BuildDamaged: A file is missing or was changed.
        """
        output = self.whole.targets[target]
        for name in names:
            if f"{target}/{name}" in output.files:
                self.file(target, name)


def device_output(built: Built) -> DeviceOutput:
    """Return the manifest's entry for the device build.

    Raises:
        NotBuilt: The build has no cuda target.
    """
    output = built.whole.targets.get("cuda")
    if isinstance(output, DeviceOutput):
        return output
    raise NotBuilt(
        f"{built.folder}: there is no cuda build", hint="Run `porter build --target cuda`."
    )


def device_code(built: Built) -> Path:
    """Return the path of the build's cubin or fatbin.

    Raises:
        NotBuilt: The build has no cuda target.
    """
    return built.file("cuda", Path(device_output(built).code).name)


def running_files(built: Built, target: str) -> tuple[str, ...]:
    """Return the files needed to run `target`, as paths relative to the build's folder.

    Files of a device build that serve only for linking user code are not among them.
    """
    output = built.whole.targets[target]
    if not isinstance(output, DeviceOutput):
        return tuple(output.files)
    # PTX serves GPUs for which the build has no native code.
    ptx = [name for name in output.files if output.ptx and name.endswith(".ptx")]
    return (output.code, *sorted(ptx))


def open_build(folder: str | os.PathLike[str]) -> Built:
    """Open the build in `folder`.

    Raises:
        NotBuilt: `build.json` is missing or incomplete.
        WrongType: `folder` is not a path.
    """
    folder = arguments.path(folder, "folder")
    document = read_document(folder)
    return Built(folder.resolve(), document, manifest_of(document, folder / MANIFEST))
