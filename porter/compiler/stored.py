"""Write and read the instruction tables of a release as a JSON file in a build.

With this file, reading bytecode needs no sources of the release. The module also names the files
and symbols that a build and native code share.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from porter.base.documents import read_json, structured
from porter.compiler.tables import Tables
from porter.errors import NotBuilt

# Names that a build (porter/compile/native_files.py) and porter/native share.
INSTRUCTIONS = "instructions.json"
PRELUDE = "prelude.hpp"  # C++ that precedes the C++ of each program
SYMBOL = "tier_run"  # native code's function, a gpusnek_native_run_t (templates/port/interp.h)


@frozen
class _Stored:
    """Instruction tables as in JSON, whose keys are strings: opcodes by name."""

    opcodes: Mapping[str, int]
    families: Mapping[str, tuple[int, ...]]
    excess: int
    formats: tuple[str, ...]
    extra_byte: int
    unary: tuple[str, ...]
    binary: tuple[str, ...]
    names: tuple[str, ...] = ()


def stored(tables: Tables) -> str:
    """Return the text of the file for `tables`."""
    document = {
        "opcodes": {name: number for number, name in tables.opcodes.items()},
        "families": tables.families,
        "excess": tables.excess,
        "formats": tables.formats,
        "extra_byte": tables.extra_byte,
        "unary": tables.unary,
        "binary": tables.binary,
        "names": tables.names,
    }
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def load_tables(path: Path) -> Tables:
    """Read the tables from the file `path` of a build.

    Raises:
        NotBuilt: The file is missing, or is not as `stored` writes it.
    """
    hint = "Run `porter build` again."
    one = structured(read_json(path, NotBuilt, hint=hint), _Stored, path, NotBuilt)
    families: dict[str, tuple[int, int]] = {}
    for name, numbers in one.families.items():
        if len(numbers) != 2:
            raise NotBuilt(f"{path}: families: {name}: two numbers are wanted", hint=hint)
        families[name] = (numbers[0], numbers[1])
    opcodes = {number: name for name, number in one.opcodes.items()}
    parts = (one.excess, one.formats, one.extra_byte, one.unary, one.binary, one.names)
    return Tables(opcodes, families, *parts)
