"""`build.json` as attrs classes: inputs and outputs of a build, and the layout C and Python share.

`porter.compile` writes builds and `porter.run` reads them, both with these classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import field, frozen

from porter.base.deprecated import RENAMED_SETTINGS, with_new_keys
from porter.base.documents import document_of, read_json, structured
from porter.base.files import SEAL, seal_of
from porter.errors import BuildDamaged, NotBuilt, PatchMissing

MANIFEST = "build.json"
INCLUDE = "include"  # the folder of `Manifest.headers`
# Versions: 2 added the layout (the runner had read C headers), 3 info of host twins, 4 constants, 5
# native code of several architectures, 6 patches, 7 the seal that detects changes of build.json, 8
# reconvergence policies.
FORMAT = 8


@frozen
class SharedField:
    """A field of a struct.

    Attributes:
        name: The field's name.
        type: A fixed-width C type.
        offset: Offset in bytes.
        size: Size in bytes.
        count: Number of elements of an array; None for a field that is no array.
    """

    name: str
    type: str
    offset: int
    size: int
    count: int | None = None


@frozen
class SharedStruct:
    """A C struct that Python reads or writes.

    Attributes:
        size: Size in bytes.
        fields: The fields, in order.
    """

    size: int
    fields: tuple[SharedField, ...]


@frozen
class SharedLayout:
    """Structs and constants that C and Python share.

    Attributes:
        structs: Structs by C name.
        enums: Enums by C tag; each maps C names to values.
        state_size: Bytes of `porter_state_t`, the state of one interpreter.
    """

    structs: Mapping[str, SharedStruct]
    enums: Mapping[str, Mapping[str, int]]
    state_size: int

    @property
    def constants(self) -> dict[str, int]:
        """The enumerators of all enums, by C name."""
        return {name: value for enum in self.enums.values() for name, value in enum.items()}


@frozen
class BuiltFile:
    """A file of a build.

    Attributes:
        size: Bytes.
        sha256: SHA-256 of the content, in hexadecimal.
    """

    size: int
    sha256: str


@frozen
class HostOutput:
    """A host twin.

    Attributes:
        compiler: The version of g++.
        flags: Options of g++.
        files: Files by name below the build's folder.
        info: The fields of `gpusnek_info_t` by name, in bytes.
    """

    compiler: str
    flags: tuple[str, ...]
    files: Mapping[str, BuiltFile]
    info: Mapping[str, int]


@frozen
class SavedRegisters:
    """The check of the garbage collector's entry function.

    Attributes:
        reader: The tool that read the native code.
        saved_registers: Number of registers that the function saves.
    """

    reader: str
    saved_registers: int


@frozen
class KernelResources:
    """Resources of a kernel.

    Attributes:
        registers: Registers per thread.
        stack: Bytes of its own stack frame.
    """

    registers: int
    stack: int


@frozen
class DeviceResources:
    """Resources of all functions, as ptxas and nvlink report them.

    Attributes:
        functions: Number of functions.
        spill_stores: Bytes of spill stores.
        spill_loads: Bytes of spill loads.
        largest_frames: Bytes of the largest stack frames, by function.
        kernels: Resources of each kernel.
    """

    functions: int
    spill_stores: int
    spill_loads: int
    largest_frames: Mapping[str, int]
    kernels: Mapping[str, KernelResources]


@frozen
class MachineCode:
    """The device build's native code for one architecture.

    Attributes:
        gc_flush: The check of the garbage collector's entry function.
        resources: Resources of all functions.
        constants: In builds with bounds checks, the variables with the load addresses of each
            unit's constants (porter/compile/bounds_checks/insertion.py), and the variables' bytes.
    """

    gc_flush: SavedRegisters
    resources: DeviceResources
    constants: Mapping[str, int] = field(factory=dict)


@frozen
class DeviceOutput:
    """A device build.

    Attributes:
        nvcc: The version of nvcc.
        flags: Options of nvcc.
        files: Files by name below the build's folder.
        info: The fields of `gpusnek_info_t` by name, in bytes.
        code: The file to load, a cubin or a fatbin, below the build's folder.
        machine: The native code in it, by architecture.
        ptx: The architecture of the PTX that the driver may link for a newer GPU (cuda/ptx/*.ptx);
            empty without PTX.
    """

    nvcc: str
    flags: tuple[str, ...]
    files: Mapping[str, BuiltFile]
    info: Mapping[str, int]
    code: str
    machine: Mapping[str, MachineCode]
    ptx: str = ""


@frozen
class BuildInputs:
    """The inputs of a build.

    Attributes:
        porter: Porter's version.
        config: The fields of BuildConfig.
        sources: SHA-256 of the sources.
    """

    porter: str
    config: Mapping[str, Any]
    sources: Mapping[str, str]


@frozen
class SkippedPatch:
    """A patch that a build lacks.

    Attributes:
        name: As in patches/series.toml.
        class_: As in patches/series.toml.
        without: The consequence, as in "string hashing is upstream's".
        reason: Why it was skipped.
        asked: Whether `BuildConfig.skip_patches` names it.
    """

    name: str
    class_: str
    without: str
    reason: str
    asked: bool

    @property
    def message(self) -> str:
        """A line for reports: the patch and the missing feature."""
        return f"skipped {self.name}: {self.without}"


@frozen
class KeptFunction:
    """An upstream function that a patch replaces in other releases.

    Attributes:
        function: The function's name.
        file: Its file.
        patch: The patch's name.
        without: The feature that a build without the patch lacks.
        reason: Why the function was not replaced.
    """

    function: str
    file: str
    patch: str
    without: str
    reason: str

    @property
    def message(self) -> str:
        """A line for reports: the function, the reason and the missing feature."""
        return f"kept upstream's {self.function} ({self.file}), {self.reason}: {self.without}"


@frozen
class Patches:
    """The patches of a build.

    Attributes:
        applied: Names of applied patches.
        skipped: Skipped patches.
        kept: Upstream functions that applied patches did not replace.
    """

    applied: tuple[str, ...] = ()
    skipped: tuple[SkippedPatch, ...] = ()
    kept: tuple[KeptFunction, ...] = ()

    @property
    def lacks(self) -> list[str]:
        """Lines for reports: skipped patches that the user did not ask for, and kept functions."""
        skipped = [one.message for one in self.skipped if not one.asked]
        return skipped + [one.message for one in self.kept]

    def need(self, name: str, what: str) -> None:
        """Raise PatchMissing if the build lacks the patch `name`, which `what` needs."""
        for one in self.skipped:
            if one.name == name:
                raise PatchMissing(
                    f"{what} needs a build with the patch {name}: {one.without}; {one.reason}",
                    hint="Use a build that has it: without --skip-patches, or of another release "
                    "(`porter patch check`).",
                    patch=name,
                )


NO_PATCHES = Patches()


@frozen
class FrozenModule:
    """A Python module that is a part of a build, as bytecode.

    Attributes:
        name: The name below the import root (`asyncio/core.py`).
        sha256: SHA-256 of its text, in hexadecimal.
        source: The file of a module of `BuildConfig.freeze`; empty for porter's library.
    """

    name: str
    sha256: str
    source: str = ""


def patches_document(patches: Patches) -> dict[str, Any]:
    """Convert `patches` to JSON values; the attribute `class_` becomes the key `class`."""
    skipped = [document_of(one) for one in patches.skipped]
    kept = [document_of(one) for one in patches.kept]
    return {"applied": list(patches.applied), "skipped": skipped, "kept": kept}


@frozen
class Manifest:
    """The content of `build.json`.

    Attributes:
        format: The version of the format.
        release: The MicroPython release.
        inputs: The inputs of the build.
        targets: Outputs by target: `host`, `host-asan` and other variants, `cuda`.
        layout: Structs and constants that C and Python share.
        patches: The patches.
        headers: Files that user kernels include, by name below the build's folder.
        frozen: The frozen Python modules.
    """

    format: int
    release: str
    inputs: BuildInputs
    targets: Mapping[str, HostOutput | DeviceOutput]
    layout: SharedLayout
    patches: Patches = NO_PATCHES
    headers: Mapping[str, BuiltFile] = field(factory=dict)
    frozen: tuple[FrozenModule, ...] = ()

    @property
    def files(self) -> dict[str, BuiltFile]:
        """All files of the build, by name below its folder."""
        found = dict(self.headers)
        for output in self.targets.values():
            found |= output.files
        return found


def read_document(folder: Path) -> dict[str, Any]:
    """Parse `build.json` of the build in `folder`, and remove its seal.

    Raises:
        NotBuilt: There is no such file, or it is not a manifest.
        BuildDamaged: The file was changed after the build.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise NotBuilt(f"{folder}: there is no finished build", hint="Run `porter build`.")
    document = read_json(path, NotBuilt, "not a manifest", "Run `porter build`.")
    if not isinstance(document, dict) or not {"inputs", "targets"} <= document.keys():
        raise NotBuilt(f"{path}: not a manifest", hint="Run `porter build`.")
    seal = document.pop(SEAL, None)
    # A file without a seal was edited on purpose (docs/reference/builds.md).
    if document.get("format") == FORMAT and seal not in (None, seal_of(document)):
        raise BuildDamaged(
            f"{path}: the file was changed after the build: its seal does not fit its content",
            hint="Build again with `porter build`, or copy the whole folder again.",
        )
    return document


def manifest_of(document: Mapping[str, Any], path: Path) -> Manifest:
    """Convert a parsed `build.json` to a Manifest.

    Args:
        document: The parsed file.
        path: The file, for messages.

    Raises:
        NotBuilt: The format differs, or a key or type is invalid; the message has its place.
    """
    if document.get("format") != FORMAT:
        raise NotBuilt(
            f"{path}: another version of porter made this build",
            hint="Run `porter build` again.",
        )
    try:
        current = _with_new_keys(document)
    except ValueError as error:
        raise NotBuilt(
            f"{path}: inputs.config: {error}", hint="Run `porter build` again."
        ) from error
    return structured(current, Manifest, path, NotBuilt)


def _with_new_keys(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return `document` with the current names of configuration keys only."""
    inputs = document["inputs"]
    if not isinstance(inputs, Mapping) or not isinstance(inputs.get("config"), Mapping):
        return document
    config = with_new_keys(inputs["config"], RENAMED_SETTINGS)
    return {**document, "inputs": {**inputs, "config": config}}


def open_manifest(folder: Path) -> Manifest:
    """Return `build.json` of the build in `folder`.

    Raises:
        NotBuilt: The folder has no complete `build.json`.
    """
    return manifest_of(read_document(folder), folder / MANIFEST)
