"""Porter's reader of .mpy files agrees with upstream's own reader."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from porter.compiler.mpy import BytecodeInstruction, BytecodeModule, Signature, read_module
from porter.compiler.tables import Tables
from porter.errors import UpstreamChange
from tests.compiler import sources
from tests.compiler.conftest import Compile
from tests.compiler.upstream_reader import functions

SOURCES = {name: getattr(sources, name) for name in ("STATEMENTS", "WIDE", "CONSTANTS", "EMPTY")}
# Kinds of constants: the format's numbers, and Python's types.
_KINDS = {5: str, 6: bytes, 7: int, 8: float, 9: complex, 10: tuple}
_SINGLE = {1: None, 2: False, 3: True, 4: ...}


@pytest.fixture(params=SOURCES)
def data(request: pytest.FixtureRequest, mpy: Compile) -> bytes:
    return mpy(SOURCES[request.param])


@pytest.fixture
def theirs(data: bytes, tool: ModuleType, tmp_path: Path) -> Any:
    file = tmp_path / "made.mpy"
    file.write_bytes(data)
    return tool.read_mpy(str(file))


def test_every_function_is_found_with_its_frame(data: bytes, tables: Tables, theirs: Any) -> None:
    module = read_module(data, 0, tables)
    found = list(functions(theirs.raw_code))
    assert len(module.functions) == len(found)
    for ours, code in zip(module.functions, found, strict=True):
        state, handlers, flags, positional, keyword, defaults = code.prelude_signature
        assert (ours.state, ours.arguments) == (state, positional + keyword)
        assert ours.generator == bool(flags & 1)
        assert ours.head == data.index(code.fun_data)
        more = code.offset_source_info - 2
        assert ours.signature == Signature(
            state, handlers, flags, positional, keyword, defaults, more
        )
        assert ours.cells == code.prelude_size[1]
        assert ours.name == code.names[0]
        at = data.index(code.fun_data) + code.offset_opcodes
        assert data[ours.start : ours.start + 8] == data[at : at + 8]


def test_every_instruction_is_the_same(
    data: bytes, tables: Tables, theirs: Any, tool: ModuleType
) -> None:
    for ours, code in zip(
        read_module(data, 0, tables).functions, functions(theirs.raw_code), strict=True
    ):
        at, bytecode = code.offset_opcodes, code.fun_data
        for instruction in ours.code:
            number = bytecode[at]
            form, size, argument, extra = tool.mp_opcode_decode(bytecode, at)
            assert (instruction.at, instruction.size) == (at - code.offset_opcodes, size)
            name, _, rest = tool.Opcode.mapping[number].partition(" ")
            assert instruction.name == name.removesuffix("_N")
            if form == tool.MP_BC_FORMAT_OFFSET:
                # The slice starts after the offset, and before the additional byte of UNWIND_JUMP.
                argument += instruction.next - (extra is not None)
            elif rest:
                argument = int(rest.split()[0])
            assert instruction.argument == (argument or 0)
            assert instruction.extra == (extra or 0)
            at += size
        # Remainders of upstream's instructions may follow the last reachable one.
        assert at == len(bytecode) or ours.code[-1].name in ("RETURN_VALUE", "RAISE_LAST", "JUMP")
        assert len(bytecode) - at < 4 + len(bytecode) // 100


def test_every_instruction_has_its_line(data: bytes, tables: Tables, theirs: Any) -> None:
    for ours, code in zip(
        read_module(data, 0, tables).functions, functions(theirs.raw_code), strict=True
    ):
        for instruction in ours.code[:: 1 + len(ours.code) // 500]:
            their = code.get_source_annotation(instruction.at + code.offset_opcodes)
            assert ours.lines[instruction.at] == their["line"]


def test_names_and_constants(data: bytes, tables: Tables, theirs: Any) -> None:
    module = read_module(data, 0, tables)
    for ours, name in zip(module.names, theirs.qstr_table, strict=True):
        assert ours == name.str
    for constant, their in zip(module.constants, theirs.obj_table, strict=True):
        if constant.kind in _SINGLE:
            assert their is _SINGLE[constant.kind]
            continue
        if constant.kind == 0:
            continue  # the table of C functions, which bytecode has no value for
        kind = _KINDS[constant.kind]
        assert type(their) is kind
        if kind is bytes:
            assert constant.text == their
        elif kind is not tuple:
            assert kind(constant.text.decode()) == their


def test_the_sources_have_every_instruction(
    module: Callable[[str], BytecodeModule], tables: Tables
) -> None:
    found = {
        instruction.name
        for source in SOURCES.values()
        for function in module(source).functions
        for instruction in function.code
    }
    known = {name.removesuffix("_N") for name in tables.opcodes.values()} | set(tables.families)
    assert found == known - {"SYNCTHREADS"}  # the port's own
    constants = {c.kind for source in SOURCES.values() for c in module(source).constants}
    assert constants >= set(_KINDS)


def test_a_jump_leads_to_an_instruction(module: Callable[[str], BytecodeModule]) -> None:
    wide = 0
    for function in module(sources.WIDE).functions:
        starts = {instruction.at for instruction in function.code}
        for instruction in function.code:
            if "JUMP" in instruction.name or instruction.name == "FOR_ITER":
                assert instruction.argument in starts
                wide = max(wide, abs(instruction.argument - instruction.at))
    assert wide > 0x800


def test_every_beginning_is_refused(mpy: Compile, tables: Tables) -> None:
    data = mpy(sources.STATEMENTS)
    for length in range(len(data)):
        with pytest.raises(UpstreamChange):
            read_module(data[:length], 0, tables)


@pytest.mark.parametrize("seed", range(4))
def test_broken_bytes_end_soon_and_in_one_way(mpy: Compile, tables: Tables, seed: int) -> None:
    data, draw = mpy(sources.STATEMENTS + sources.CONSTANTS), random.Random(seed)
    began, refused = time.monotonic(), 0
    for _ in range(150):
        broken = bytearray(data)
        for _ in range(draw.choice((1, 1, 2, 8))):
            broken[draw.randrange(len(broken))] = draw.choice(
                (0, 0x7F, 0x80, 0xFF, draw.randrange(256))
            )
        try:
            read_module(bytes(broken), 0, tables)
        except UpstreamChange:
            refused += 1
    assert refused
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"M",
        b"m\x06\x00\x1f\x00\x00",
        b"M\x06\x00\x1f" + b"\xff" * 100_000,  # a number that never ends
        b"M\x06\x00\x1f" + b"\xff" * 40 + b"\x7f\x00",  # names without end
        b"M\x06\x00\x1f\x00\x01" + b"\x0a\x01" * 50_000,  # a tuple in a tuple in a tuple
        b"M\x06\x00\x1f\x00\x01\x0b\x00",  # no such kind of constant
        b"M\x06\x00\x1f\x00\x01\x05\xff\xff\xff\xff\x7f",  # a text longer than the file
        b"M\x06\x00\x1f\x00\x00" + b"\x05\x01" * 50_000,  # a function in a function
        b"M\x06\x00\x1f\x00\x00\xff\xff\xff\xff\x00",  # a function longer than the file
        b"M\x06\x00\x1f\x00\x00\x28\x00\x04\x00\x00\x01",  # an undefined instruction
        b"M\x06\x00\x1f\x00\x00\x30\x00\x04\x00\x00\x32\xff",  # ends within an instruction
        b"M\x06\x00\x1f\x00\x00\x18\x00\x02\x00",  # a function without instructions
    ],
    ids=itertools.count(),
)
def test_what_is_no_mpy_is_refused(data: bytes, tables: Tables) -> None:
    with pytest.raises(UpstreamChange):
        read_module(data, 0, tables)


def test_code_may_begin_anywhere(mpy: Compile, tables: Tables) -> None:
    data = mpy("x = 1\n")
    plain, shifted = read_module(data, 0, tables), read_module(b"12 bytes...." + data, 12, tables)
    assert shifted.functions[0].code == plain.functions[0].code
    assert shifted.functions[0].start == plain.functions[0].start + 12


def test_an_instruction_knows_its_successor() -> None:
    assert BytecodeInstruction(at=5, size=3, name="JUMP").next == 8


def made(code: bytes) -> bytes:
    """Return a .mpy of one function, named f, without lines."""
    data = b"\x00\x02\x00" + code  # one slot; one byte of information; the name
    return b"M\x06\x00\x1f\x01\x00\x02f\x00" + bytes([len(data) << 3]) + data


@pytest.mark.parametrize("rest", [b"", b"\x03", b"\x27\x43\x2c\x10\x03", b"\x32", b"\x51\x63"])
def test_what_stands_behind_the_last_instruction_is_no_code(tables: Tables, rest: bytes) -> None:
    number = {name: at for at, name in tables.opcodes.items()}
    code = bytes([number["LOAD_CONST_NONE"], number["RETURN_VALUE"]])
    (function,) = read_module(made(code + rest), 0, tables).functions
    assert [instruction.name for instruction in function.code] == [
        "LOAD_CONST_NONE",
        "RETURN_VALUE",
    ]


def test_code_that_can_run_into_what_is_none_is_refused(tables: Tables) -> None:
    number = {name: at for at, name in tables.opcodes.items()}
    with pytest.raises(UpstreamChange, match="has no instruction 0x3"):
        read_module(made(bytes([number["LOAD_CONST_NONE"], 3])), 0, tables)
    with pytest.raises(UpstreamChange, match="cannot be read"):
        read_module(made(bytes([number["LOAD_CONST_NONE"]])), 0, tables)
