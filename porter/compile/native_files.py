"""The files of a host twin that the native compiler needs (porter/native).

The C++ of a program's native code begins with the rewritten prelude
(templates/port/native_prelude.c). The native compiler decodes bytecode with the release's own table
of instructions. Both files are part of the finished build, so that native code needs neither
upstream's sources nor templates.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from porter.base.files import write_changed
from porter.base.paths import templates_dir, upstream_dir
from porter.compile.flags import HostVariant
from porter.compile.ninja import Edge, NinjaRule
from porter.compile.sources import Sources
from porter.compiler.stored import INSTRUCTIONS, PRELUDE, stored
from porter.compiler.tables import read_tables

_UNIT = "port_native_prelude.cpp"
_RULE = "prelude"
_STEP = Path(__file__).with_name("prelude.py")
PYTHON = '"$${PORTER_PYTHON:-python3}" -IS'  # see cuda.py


def prelude_unit(
    sources: Sources, variant: HostVariant, bounds_checks: bool, profile: bool
) -> Path | None:
    """Return the unit of the prelude; None where the host twin runs no native code.

    Builds that instrument each access or instruction run none (templates/runtime/native_hooks.h).
    """
    if bounds_checks or profile or variant.units:
        return None
    return prelude_source(sources)


def prelude_source(sources: Sources) -> Path | None:
    """Return the unit of the prelude; None if the build has none.

    Native code does not support all representations of objects, such as single precision. The
    prelude is then empty, and porter/preprocess leaves out empty units.
    """
    return next((unit for unit in sources.units if unit.name == _UNIT), None)


def prelude_rule(compiler: Sequence[str]) -> NinjaRule:
    """Return the rule that preprocesses the prelude to one text that keeps macro definitions.

    Args:
        compiler: g++ and its options for a unit. Macros that these define are left out
            (prelude.py), since another compiler with other options may read the prelude.
    """
    text = f"{shlex.join(compiler)} -E -dD -x c++ $in -o $out.tmp"
    return NinjaRule(
        _RULE, f"{text} && {PYTHON} {shlex.quote(str(_STEP))} $out.tmp $out", "c++ $out"
    )


def prelude_edge(unit: Path, out: Path, sources: Sources) -> Edge:
    """Return the edge that makes the prelude in a target's folder `out`."""
    return Edge(_RULE, (out / PRELUDE,), (unit,), (*sources.headers, _STEP))


def write_instructions(release: str, out: Path) -> Path:
    """Write the release's table of instructions into the folder `out`. Raises UpstreamChange."""
    path = out / INSTRUCTIONS
    write_changed(path, stored(read_tables(upstream_dir() / release, templates_dir())))
    return path
