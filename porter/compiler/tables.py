"""Read opcodes, operators and instruction formats from the headers of a MicroPython release.

The port's own opcodes come from its configuration header. stored.py writes the tables into a build.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path

from attrs import field, frozen

from porter.errors import UpstreamChange

_DEFINE = re.compile(r"^#define (MP_BC_\w+)\s+\(([^()]+)\)", re.M)
_OWN = re.compile(r"^#define GPUSNEK_BC_(\w+)\s+\(([^()]+)\)", re.M)
PORT = "port/mpconfigport.h.j2"  # template that defines the port's own instructions
_BOUND = re.compile(r"^#define (MP_\w+_NUM_BYTECODE)\s+\(([^()]+)\)", re.M)
_FORMAT = re.compile(r"^#define MP_BC_FORMAT\(op\) \(\((0x[0-9a-f]+) >> ", re.M)
_NAMES = re.compile(r"^static_qstr_list = (\[.*?^\])", re.M | re.S)
_FORMATS = ("byte", "qstr", "uint", "offset")


@frozen
class Tables:
    """Opcodes, operators and instruction formats of a release.

    Attributes:
        opcodes: Names of instructions by opcode, without families.
        families: First opcode and number of opcodes of each family, by name. The opcodes of a
            family include the operand.
        excess: Number subtracted from the operand in the family LOAD_CONST_SMALL_INT.
        formats: Format of the operand, by the opcode's upper four bits: "byte" (none), "qstr",
            "uint" or "offset".
        extra_byte: Bit mask. Instructions whose opcode has none of these bits have one more byte.
        unary: Unary operators by number.
        binary: Binary operators by number.
        names: Names that the release knows by number (static qstrs), the first with the number 1.
    """

    opcodes: Mapping[int, str]
    families: Mapping[str, tuple[int, int]]
    excess: int
    formats: tuple[str, ...]
    extra_byte: int
    unary: tuple[str, ...]
    binary: tuple[str, ...]
    names: tuple[str, ...] = field(default=(), repr=False)


def read_tables(release: Path, templates: Path) -> Tables:
    """Read the tables from `py/bc0.h`, `py/runtime0.h`, `py/makeqstrdata.py` and PORT.

    Args:
        release: Source tree of the release.
        templates: Folder of porter's templates.

    Raises:
        UpstreamChange: A file is missing, or its format is unknown.
    """
    files = ("bc0.h", "runtime0.h", "makeqstrdata.py")
    text, operators, names = (_read(release, f"py/{name}") for name in files)
    try:
        return _tables(text, operators, _names(names), _read(templates, PORT))
    except (KeyError, ValueError, SyntaxError) as error:
        raise UpstreamChange(f"py/bc0.h: {error} is not what the compiled tier knows") from None


def _names(text: str) -> tuple[str, ...]:
    found = _NAMES.search(text)
    if not found:
        raise UpstreamChange("py/makeqstrdata.py: static_qstr_list is not what was known")
    return tuple(str(name) for name in ast.literal_eval(found.group(1)))


def _read(release: Path, name: str) -> str:
    try:
        return (release / name).read_text()
    except OSError as error:
        raise UpstreamChange(f"{name}: {error.strerror}") from error


def _tables(text: str, operators: str, known: tuple[str, ...], port: str) -> Tables:
    unary = _enumerators(operators, "MP_UNARY_OP_")
    binary = _enumerators(operators, "MP_BINARY_OP_")
    numbers = {f"MP_UNARY_OP_{name}": at for at, name in enumerate(unary)}
    numbers |= {f"MP_BINARY_OP_{name}": at for at, name in enumerate(binary)}
    for name, value in _BOUND.findall(operators):
        numbers[name] = _value(value, numbers)
    for name, value in _DEFINE.findall(text):
        numbers[name] = _value(value, numbers)
    found = _FORMAT.search(text)
    if not found:
        raise UpstreamChange("py/bc0.h: MP_BC_FORMAT is not what the compiled tier knows")
    packed = int(found.group(1), 16)
    formats = tuple(_FORMATS[packed >> (2 * row) & 3] for row in range(16))
    short = {
        name.removeprefix("MP_BC_"): number
        for name, number in numbers.items()
        if name.startswith("MP_BC_")
    }
    families = {
        name.removesuffix("_MULTI"): (short[name], short[f"{name}_NUM"])
        for name in short
        if f"{name}_NUM" in short
    }
    plain = {
        number: name
        for name, number in short.items()
        if not name.startswith(("BASE_", "MASK_", "FORMAT_")) and "_MULTI" not in name
    }
    plain |= {_value(value, numbers): name for name, value in _OWN.findall(port)}
    return Tables(
        plain,
        families,
        short["LOAD_CONST_SMALL_INT_MULTI_EXCESS"],
        formats,
        short["MASK_EXTRA_BYTE"],
        tuple(unary[: numbers["MP_UNARY_OP_NUM_BYTECODE"]]),
        tuple(binary[: numbers["MP_BINARY_OP_NUM_BYTECODE"]]),
        known,
    )


def _value(text: str, numbers: Mapping[str, int]) -> int:
    total = 0
    for part in text.split("+"):
        name = part.strip()
        total += numbers[name] if name in numbers else int(ast.literal_eval(name))
    return total


def _enumerators(text: str, prefix: str) -> list[str]:
    names = re.findall(rf"^\s+{prefix}(\w+),", text, re.M)
    return list(dict.fromkeys(names))
