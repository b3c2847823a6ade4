"""What a host twin carries so that programs can become machine code beside it (porter/native).

Such C++ begins with the rewritten prelude (templates/port/native_prelude.c), and bytecode is read
with the release's own table of instructions. Both are files of the finished build, which needs
neither sources nor templates then.
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
PYTHON = '"$${PORTER_PYTHON:-python3}" -IS'  # as in cuda.py: another Python is no other command


def prelude_unit(
    sources: Sources, variant: HostVariant, fences: bool, profile: bool
) -> Path | None:
    """The unit that is the prelude; None where the host twin runs no machine code of programs.

    Builds that look at each access or instruction do not (templates/runtime/native_hooks.h).
    """
    if fences or profile or variant.units:
        return None
    return prelude_source(sources)


def prelude_source(sources: Sources) -> Path | None:
    """The unit that is the prelude, where it holds code.

    It holds none where machine code does not know the representation of objects, as with single
    precision; porter/preprocess leaves such units out.
    """
    return next((unit for unit in sources.units if unit.name == _UNIT), None)


def prelude_rule(compiler: Sequence[str]) -> NinjaRule:
    """Makes the prelude one text without includes, macros' definitions in their places.

    compiler: g++ and its options for a unit. What these define is left out (prelude.py): another
    compiler may read the prelude, with options of its own.
    """
    text = f"{shlex.join(compiler)} -E -dD -x c++ $in -o $out.tmp"
    return NinjaRule(
        _RULE, f"{text} && {PYTHON} {shlex.quote(str(_STEP))} $out.tmp $out", "c++ $out"
    )


def prelude_edge(unit: Path, out: Path, sources: Sources) -> Edge:
    """The prelude in the folder `out` of a target."""
    return Edge(_RULE, (out / PRELUDE,), (unit,), (*sources.headers, _STEP))


def write_instructions(release: str, out: Path) -> Path:
    """The release's table of instructions in the folder `out`. Raises UpstreamChange."""
    path = out / INSTRUCTIONS
    write_changed(path, stored(read_tables(upstream_dir() / release, templates_dir())))
    return path
