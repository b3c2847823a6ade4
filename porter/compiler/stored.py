"""The instructions of a release as a file of a build: what reads bytecode needs no sources then."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from porter.base.reading import read_json, structured
from porter.compiler.tables import Tables
from porter.errors import NotBuilt

# Names on which a build and what makes machine code beside it agree.
INSTRUCTIONS = "instructions.json"
PRELUDE = "prelude.hpp"  # what the C++ of programs begins with
SYMBOL = "tier_run"  # what runs it, a gpusnek_native_run_t (templates/port/interp.h)


@frozen
class _Stored:
    """Tables with keys that JSON has: numbers by name."""

    opcodes: Mapping[str, int]
    families: Mapping[str, tuple[int, ...]]
    excess: int
    formats: tuple[str, ...]
    extra_byte: int
    unary: tuple[str, ...]
    binary: tuple[str, ...]
    names: tuple[str, ...] = ()


def stored(tables: Tables) -> str:
    """The text of the file for `tables`."""
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
    """The tables in the file `path` of a build. Raises NotBuilt for what is not as `stored`."""
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
