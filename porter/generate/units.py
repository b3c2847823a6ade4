"""The list of units that generation hands to the next stages."""

from __future__ import annotations

import json
import os
from pathlib import Path

from attrs import asdict, frozen

from porter.errors import GenerateFailed, NotBuilt
from porter.generate.wants import Wants

FORMAT = 2
NO_WANTS = Wants()


@frozen
class Unit:
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

    `wants` is what the release wants from its port.
    """

    digest: str
    defines: tuple[str, ...]
    units: tuple[Unit, ...]
    wants: Wants = NO_WANTS


def unit_name(path: str) -> str:
    """`py/vm.c` -> `py_vm`."""
    return path.removesuffix(".c").replace("/", "_").replace(".", "_").replace("-", "_")


def check_names(units: list[Unit]) -> None:
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
        "defines": list(units.defines),
        "wants": asdict(units.wants),
        "units": [asdict(unit) for unit in units.units],
    }
    beside = path.with_suffix(".tmp")
    beside.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    os.replace(beside, path)


def read_units(path: Path) -> UnitList:
    """The units at `path`. Raises NotBuilt where there are none or of another format."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotBuilt(f"{path}: no list of units", hint="Run `porter build` first.") from error
    if document.get("format") != FORMAT:
        raise NotBuilt(f"{path}: written by another porter", hint="Run `porter build` again.")
    return UnitList(
        document["digest"],
        tuple(document["defines"]),
        tuple(Unit(**unit) for unit in document["units"]),
        Wants(**{name: tuple(values) for name, values in document["wants"].items()}),
    )
