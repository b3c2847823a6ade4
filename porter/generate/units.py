"""The list of units that generation hands to the next stages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import asdict, frozen

from porter.base import arguments
from porter.base.reading import structured
from porter.base.sealed import read_sealed, write_sealed
from porter.errors import GenerateFailed, NotBuilt
from porter.generate.wants import Wants
from porter.manifest import NO_PATCHES, Patches, patches_document
from porter.patches import NOTHING, FunctionReplacement

FORMAT = 6
NO_WANTS = Wants()


@frozen
class SourceUnit:
    """One C file to preprocess. `name` is unique and safe as a file name (`py_vm`).

    `path` is the name that people know it by (`py/vm.c`), `source` the file to read,
    `origin` one of `upstream`, `port`, `libc`.
    """

    name: str
    path: str
    source: str
    origin: str


@frozen
class UnitList:
    """All units of a build, the -D options they need, and the digest of what made them.

    `made` is the digest of the files that were generated with it, `wants` what the release wants
    from its port. `patches` are the applied patches and the skipped ones, `replacements` the
    functions that preprocessing replaces. `unreadable` are patches that were skipped because what
    they make cannot be read, with the reasons, for inputs of the digest `inputs`.
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
    """`py/vm.c` -> `py_vm`."""
    return path.removesuffix(".c").replace("/", "_").replace(".", "_").replace("-", "_")


def check_names(units: list[SourceUnit]) -> None:
    """Raises GenerateFailed where two files would get one name."""
    seen: dict[str, str] = {}
    for unit in units:
        if unit.name in seen:
            raise GenerateFailed(f"{seen[unit.name]} and {unit.path} would both be {unit.name}")
        seen[unit.name] = unit.path


def write_units(path: Path, units: UnitList) -> None:
    """Write `units` as JSON to `path`, whole or not at all."""
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
    """The units at `path`. Raises NotBuilt where there are none that are whole."""
    path = arguments.path(path, "path")
    document = read_sealed(path)
    if document is None or document.pop("format", None) != FORMAT:
        raise NotBuilt(f"{path}: no list of units, or a damaged one", hint="Run `porter build`.")
    return structured(document, UnitList, path, NotBuilt)
