"""The list of units, which the generate stage writes and the later stages read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import asdict, frozen

from porter.base import arguments
from porter.base.documents import structured
from porter.base.files import read_sealed, write_sealed
from porter.errors import GenerateFailed, NotBuilt
from porter.generate.port_options import Wants
from porter.manifest import NO_PATCHES, Patches, patches_document
from porter.patches import NOTHING, FunctionReplacement

FORMAT = 6
NO_WANTS = Wants()


@frozen
class SourceUnit:
    """A C file to preprocess.

    Attributes:
        name: A unique name that is safe as a file name (`py_vm`).
        path: The name in messages (`py/vm.c`).
        source: The file to read.
        origin: `upstream`, `port` or `libc`.
    """

    name: str
    path: str
    source: str
    origin: str


@frozen
class UnitList:
    """All units of a build, and the digests that show whether the list is up to date.

    Attributes:
        digest: The digest of all inputs.
        defines: -D options of every unit.
        units: The units.
        made: The digest of the generated files.
        wants: The options that the release refuses and the hooks that it defines.
        patches: The applied patches and the skipped patches.
        replacements: The functions that preprocessing replaces.
        inputs: The digest of the inputs before `unreadable` patches were removed.
        unreadable: Patches that were skipped because libclang cannot read the patched unit, with
            the reasons; valid for `inputs`.
    """

    digest: str
    defines: tuple[str, ...]
    units: tuple[SourceUnit, ...]
    made: str = ""
    wants: Wants = NO_WANTS
    patches: Patches = NO_PATCHES
    replacements: tuple[FunctionReplacement, ...] = ()
    inputs: str = ""
    unreadable: Mapping[str, str] = NOTHING


def unit_name(path: str) -> str:
    """Return the name of a unit: `py/vm.c` -> `py_vm`."""
    return path.removesuffix(".c").replace("/", "_").replace(".", "_").replace("-", "_")


def check_names(units: list[SourceUnit]) -> None:
    """Raise GenerateFailed if two files have the same unit name."""
    seen: dict[str, str] = {}
    for unit in units:
        if unit.name in seen:
            raise GenerateFailed(f"{seen[unit.name]} and {unit.path} would both be {unit.name}")
        seen[unit.name] = unit.path


def write_units(path: Path, units: UnitList) -> None:
    """Write `units` to `path` as JSON, atomically."""
    document = {
        "format": FORMAT,
        "digest": units.digest,
        "made": units.made,
        "defines": list(units.defines),
        "wants": asdict(units.wants),
        "patches": patches_document(units.patches),
        "replacements": [asdict(one) for one in units.replacements],
        "inputs": units.inputs,
        "unreadable": dict(units.unreadable),
        "units": [asdict(unit) for unit in units.units],
    }
    write_sealed(path, document)


def read_units(path: arguments.StrPath) -> UnitList:
    """Read the units at `path`. Raises NotBuilt if the file is missing or damaged."""
    path = arguments.path(path, "path")
    document = read_sealed(path)
    if document is None or document.pop("format", None) != FORMAT:
        raise NotBuilt(f"{path}: no list of units, or a damaged one", hint="Run `porter build`.")
    return structured(document, UnitList, path, NotBuilt)
