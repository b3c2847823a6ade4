"""`build.json` as attrs classes: what went into a build and came out, what C and Python share.

Who writes a build (porter/compile) and who runs one (porter/run) both use these classes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import field, frozen

from porter.base.reading import document_of, structured
from porter.base.sealed import SEAL, seal_of
from porter.errors import BuildDamaged, NotBuilt, PatchMissing

MANIFEST = "build.json"
INCLUDE = "include"  # the folder of `Manifest.headers`
# 1 had no layout: the runner read C headers; 2 had no info of host twins, 3 no constants, 4 machine
# code of one architecture alone, 5 no patches, 6 no seal: nobody saw changes of build.json.
FORMAT = 7


@frozen
class SharedField:
    """One field of a struct: a fixed-width C type, `offset` and `size` in bytes.

    count: the elements of an array, None for a field that is no array.
    """

    name: str
    type: str
    offset: int
    size: int
    count: int | None = None


@frozen
class SharedStruct:
    """A C struct that Python reads or writes: its size in bytes and its fields, in order."""

    size: int
    fields: tuple[SharedField, ...]


@frozen
class SharedLayout:
    """What C and Python share. structs: by C name. enums: by C tag, each from C name to value.

    state_size: bytes of `porter_state_t`, the state of one interpreter.
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
    """A file of a build: its bytes, and their SHA-256 in hexadecimal."""

    size: int
    sha256: str


@frozen
class HostOutput:
    """A host twin: g++'s version, its options, and files by name below the build's folder.

    info: the fields of `gpusnek_info_t`, by name, bytes.
    """

    compiler: str
    flags: tuple[str, ...]
    files: Mapping[str, BuiltFile]
    info: Mapping[str, int]


@frozen
class SavedRegisters:
    """The check of the collector's entry: how machine code was read, and registers it saves."""

    reader: str
    saved_registers: int


@frozen
class KernelResources:
    """One kernel: registers a thread, and its own stack in bytes."""

    registers: int
    stack: int


@frozen
class DeviceResources:
    """What ptxas and nvlink say of all functions: how many, bytes of spills and of frames."""

    functions: int
    spill_stores: int
    spill_loads: int
    largest_frames: Mapping[str, int]
    kernels: Mapping[str, KernelResources]


@frozen
class MachineCode:
    """The device build's code for one architecture: what was checked, and what it needs.

    constants: in builds with fences, the variables that say where each unit's constants are loaded
    (porter/compile/fencing/unit.py), and their bytes.
    """

    gc_flush: SavedRegisters
    resources: DeviceResources
    constants: Mapping[str, int] = field(factory=dict)


@frozen
class DeviceOutput:
    """A device build. info: the fields of `gpusnek_info_t`, by name, bytes.

    code: the file that is loaded, a cubin or a fatbin, below the build's folder. machine: the parts
    of it, by architecture. ptx: the architecture of PTX that the driver may link for a GPU newer
    than these (the files cuda/ptx/*.ptx); empty where that was not asked for.
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
    """What a build was made from: porter's version, BuildConfig's fields, sources' SHA-256."""

    porter: str
    config: Mapping[str, Any]
    sources: Mapping[str, str]


@frozen
class SkippedPatch:
    """A patch that a build does without.

    name, class_: as patches/series.toml has them. without: what the build lacks, as in "string
    hashing is upstream's". reason: why it was skipped. asked: `BuildConfig.skip_patches` names it.
    """

    name: str
    class_: str
    without: str
    reason: str
    asked: bool

    @property
    def message(self) -> str:
        """The line of a report: the patch and the missing feature."""
        return f"skipped {self.name}: {self.without}"


@frozen
class KeptFunction:
    """A function of upstream's, in `file`, that `patch` replaces in other releases.

    without: what a build without the patch lacks. reason: why the function was not replaced.
    """

    function: str
    file: str
    patch: str
    without: str
    reason: str

    @property
    def message(self) -> str:
        """The line of a report: the function, the reason and the missing feature."""
        return f"kept upstream's {self.function} ({self.file}), {self.reason}: {self.without}"


@frozen
class Patches:
    """The patches of a build: names of applied patches, skipped patches, and functions of upstream
    that applied patches did not replace.
    """

    applied: tuple[str, ...] = ()
    skipped: tuple[SkippedPatch, ...] = ()
    kept: tuple[KeptFunction, ...] = ()

    @property
    def lacks(self) -> list[str]:
        """The lines of a report: skipped patches that the user did not ask for, kept functions."""
        skipped = [one.message for one in self.skipped if not one.asked]
        return skipped + [one.message for one in self.kept]

    def need(self, name: str, what: str) -> None:
        """Raise PatchMissing if a build does without the patch `name`, which `what` needs."""
        for one in self.skipped:
            if one.name == name:
                raise PatchMissing(
                    f"{what} needs a build with the patch {name}: {one.without}; {one.reason}",
                    hint="Use a build that has it: without --skip-patches, or of another release "
                    "(`porter patch check`).",
                    patch=name,
                )


NO_PATCHES = Patches()


def patches_document(patches: Patches) -> dict[str, Any]:
    """Return `patches` as JSON has them: the attribute `class_` is the key `class`."""
    skipped = [document_of(one) for one in patches.skipped]
    kept = [document_of(one) for one in patches.kept]
    return {"applied": list(patches.applied), "skipped": skipped, "kept": kept}


@frozen
class Manifest:
    """A whole `build.json`. targets: `host`, `host-asan` and other variants, `cuda`.

    headers: files that a user's own kernels include, by name below the build's folder.
    """

    format: int
    release: str
    inputs: BuildInputs
    targets: Mapping[str, HostOutput | DeviceOutput]
    layout: SharedLayout
    patches: Patches = NO_PATCHES
    headers: Mapping[str, BuiltFile] = field(factory=dict)

    @property
    def files(self) -> dict[str, BuiltFile]:
        """All files of the build, by name below its folder."""
        found = dict(self.headers)
        for output in self.targets.values():
            found |= output.files
        return found


def read_document(folder: Path) -> dict[str, Any]:
    """Return `build.json` of the build in `folder` as JSON has it, without its seal.

    Raises:
        NotBuilt: There is no such file, or it is no object of a manifest's parts.
        BuildDamaged: The file was changed after the build.
    """
    path = folder / MANIFEST
    try:
        document = json.loads(path.read_text())
    except OSError as error:
        raise NotBuilt(f"{folder}: there is no finished build", hint="Run `porter build`.") from (
            error
        )
    except ValueError as error:
        raise NotBuilt(f"{path}: not a manifest: {error}", hint="Run `porter build`.") from error
    if not isinstance(document, dict) or not {"inputs", "targets"} <= document.keys():
        raise NotBuilt(f"{path}: not a manifest", hint="Run `porter build`.")
    seal = document.pop(SEAL, None)
    # Without a seal the file was edited on purpose (docs/install.md).
    if document.get("format") == FORMAT and seal not in (None, seal_of(document)):
        raise BuildDamaged(
            f"{path}: the file was changed after the build: its seal does not fit its content",
            hint="Build again with `porter build`, or copy the whole folder again.",
        )
    return document


def manifest_of(document: Mapping[str, Any], path: Path) -> Manifest:
    """`document`, read from `path`, as a Manifest.

    Raises NotBuilt for another format, and for a key or a type that does not belong, with its
    place.
    """
    if document.get("format") != FORMAT:
        raise NotBuilt(
            f"{path}: another version of porter made this build",
            hint="Run `porter build` again.",
        )
    return structured(document, Manifest, path, NotBuilt)


def open_manifest(folder: Path) -> Manifest:
    """Return `build.json` of the build in `folder`.

    Raises:
        NotBuilt: The folder has no complete `build.json`.
    """
    return manifest_of(read_document(folder), folder / MANIFEST)
