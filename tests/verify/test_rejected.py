"""Malformed bytecode raises ValueError: preludes, tables, operands, the stack, handlers, cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from attrs import frozen

from porter import InterpreterArray
from porter.compiler.opcodes import ITERATOR
from porter.fs import Image
from porter.run import Device, Launch, Program, run
from tests.verify.making import (
    ACCEPTED,
    NONE_OBJECT,
    REJECTED,
    RETURN,
    Instruction,
    assemble,
    function,
    loads,
    module,
    number,
    numbers,
    tables,
)

VALUE = "LOAD_CONST_TRUE"
NAME = ("LOAD_CONST_STRING", 0)
SMALL = ("LOAD_CONST_SMALL_INT", 1)
ITER = "GET_ITER_STACK"
GENERATOR = 1
CHILD = function(assemble(*RETURN), state=1)
PLAIN = module(function(assemble(*RETURN), state=1))


@frozen
class Case:
    """An instruction and its operands.

    before: Instructions that push its operands. after: Instructions up to the end of the path.
    peak: Largest number of stack slots in use. handlers: Slots of the exception stack.
    """

    before: Sequence[Instruction]
    peak: int
    operand: int | bytes = b""
    after: Sequence[Instruction] = RETURN
    handlers: int = 0
    flags: int = 0


def _plain(count: int, operand: int | bytes = b"", left: int = 1) -> Case:
    """An instruction that takes objects and leaves some; RETURN needs one slot more."""
    return Case([VALUE] * count, max(count, left + 1), operand)


# Every instruction of py/bc0.h and the port. FORWARD: a jump to the next instruction.
FORWARD, SIGNED = b"\x00", b"\x40"
CASES: dict[str, Case] = {
    **dict.fromkeys(
        ["LOAD_CONST_FALSE", "LOAD_CONST_NONE", "LOAD_CONST_TRUE", "LOAD_NULL", "SYNCTHREADS"],
        _plain(0),
    ),
    "LOAD_BUILD_CLASS": _plain(0),
    **dict.fromkeys(
        ["LOAD_CONST_STRING", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_CONST_OBJ", "LOAD_CONST_SMALL_INT"],
        _plain(0, 0),
    ),
    **dict.fromkeys(["LOAD_FAST_N"], _plain(0, 0)),
    **dict.fromkeys(["STORE_FAST_N"], _plain(1, 0, left=0)),
    **dict.fromkeys(["DELETE_FAST"], _plain(0, 0, left=0)),
    **dict.fromkeys(["STORE_NAME", "STORE_GLOBAL"], _plain(1, 0, left=0)),
    **dict.fromkeys(["DELETE_NAME", "DELETE_GLOBAL"], _plain(0, 0, left=0)),
    "LOAD_ATTR": _plain(1, 0),
    "LOAD_METHOD": _plain(1, 0, left=2),
    "LOAD_SUPER_METHOD": _plain(3, 0, left=2),
    "LOAD_SUBSCR": _plain(2),
    "STORE_ATTR": _plain(2, 0, left=0),
    "STORE_SUBSCR": _plain(3, left=0),
    "DUP_TOP": _plain(1, left=2),
    "DUP_TOP_TWO": _plain(2, left=4),
    "POP_TOP": _plain(1, left=0),
    "ROT_TWO": _plain(2, left=2),
    "ROT_THREE": _plain(3, left=3),
    "JUMP": _plain(0, SIGNED, left=0),
    **dict.fromkeys(["POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE"], _plain(1, SIGNED, left=0)),
    # Both ways must meet with equal stacks: the jump leads over the value that replaces the other.
    **dict.fromkeys(
        ["JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP"],
        Case([VALUE], 1, b"\x01", [VALUE, "RETURN_VALUE"]),
    ),
    "UNWIND_JUMP": Case([], 2, b"\x41\x00"),
    "SETUP_WITH": Case(
        [VALUE],
        5,
        b"\x02",
        ["POP_TOP", "LOAD_CONST_NONE", "WITH_CLEANUP", "END_FINALLY", *RETURN],
        1,
    ),
    "SETUP_EXCEPT": Case([], 1, b"\x02", [("POP_EXCEPT_JUMP", b"\x01"), "END_FINALLY", *RETURN], 1),
    "SETUP_FINALLY": Case([], 1, b"\x01", ["LOAD_CONST_NONE", "END_FINALLY", *RETURN], 1),
    "GET_ITER": _plain(1),
    "GET_ITER_STACK": _plain(1, left=ITERATOR),
    "FOR_ITER": Case([VALUE, ITER], 5, b"\x03", ["POP_TOP", ("JUMP", b"\x3b"), *RETURN]),
    "BUILD_TUPLE": _plain(2, 2),
    "BUILD_LIST": _plain(2, 2),
    "BUILD_SET": _plain(2, 2),
    "BUILD_MAP": _plain(0, 1),
    "BUILD_SLICE": _plain(3, 3),
    "STORE_MAP": Case([("BUILD_MAP", 1), VALUE, VALUE], 3),
    "STORE_COMP": Case([("BUILD_LIST", 0), VALUE], 2, 1 << 2),
    "UNPACK_SEQUENCE": _plain(1, 3, left=3),
    "UNPACK_EX": _plain(1, 2 | 1 << 8, left=4),
    "RETURN_VALUE": Case([VALUE], 1, after=()),
    "RAISE_LAST": Case([], 0, after=()),
    "RAISE_OBJ": Case([VALUE], 1, after=()),
    "RAISE_FROM": Case([VALUE, VALUE], 2, after=()),
    "YIELD_VALUE": Case([VALUE], 2, flags=GENERATOR),
    "YIELD_FROM": Case([VALUE, VALUE], 2, flags=GENERATOR),
    "MAKE_FUNCTION": _plain(0, 0),
    "CALL_FUNCTION": Case([VALUE, VALUE, NAME, VALUE], 4, 1 | 1 << 8),
    "CALL_FUNCTION_VAR_KW": Case([VALUE, VALUE, "LOAD_NULL", VALUE, SMALL], 5, 1 | 1 << 8),
    "CALL_METHOD": Case([VALUE, ("LOAD_METHOD", 0), VALUE, NAME, VALUE], 5, 1 | 1 << 8),
    "CALL_METHOD_VAR_KW": Case(
        [VALUE, ("LOAD_METHOD", 0), VALUE, NAME, VALUE, SMALL], 6, 1 | 1 << 8
    ),
    "IMPORT_NAME": Case([SMALL, VALUE], 2, 0),
    "IMPORT_FROM": _plain(1, 0, left=2),
    "IMPORT_STAR": _plain(1, left=0),
    "LOAD_CONST_SMALL_INT_MULTI": _plain(0),
    "LOAD_FAST_MULTI": _plain(0),
    "STORE_FAST_MULTI": _plain(1, left=0),
    "UNARY_OP_MULTI": _plain(1),
    "BINARY_OP_MULTI": _plain(2),
}
# These need cells, default values or a handler, and have tests of their own below.
ELSEWHERE = {
    *("LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF"),
    *("MAKE_FUNCTION_DEFARGS", "MAKE_CLOSURE", "MAKE_CLOSURE_DEFARGS"),
    *("WITH_CLEANUP", "END_FINALLY", "POP_EXCEPT_JUMP"),
}
LOCALS = {"LOAD_FAST_N", "STORE_FAST_N", "DELETE_FAST", "LOAD_FAST_MULTI", "STORE_FAST_MULTI"}


def made(
    name: str, case: Case, *, skip: int = 0, state: int | None = None, cut: bool = False
) -> bytes:
    """A file with an instruction.

    Args:
        name: The instruction.
        case: Its operands.
        skip: Number of instructions before it that are left out.
        state: Slots of the frame, where not as many as are used.
        cut: Whether the function ends in the middle of it.
    """
    needed = max(1, case.peak + (name in LOCALS))
    one = (name, case.operand) if case.operand != b"" else name
    code = assemble(*case.before[skip:], one, *(() if cut else case.after))
    code = code[:-1] if cut else code
    return module(
        function(
            code,
            state=needed if state is None else state,
            handlers=case.handlers,
            flags=case.flags,
            children=[CHILD],
        )
    )


def test_every_instruction_has_a_case() -> None:
    assert CASES.keys() | ELSEWHERE == numbers().keys()
    assert not CASES.keys() & ELSEWHERE


def test_the_stack_has_exactly_the_slots_that_an_instruction_needs(any_device: Device) -> None:
    fitting = [made(name, case) for name, case in CASES.items()]
    assert dict(zip(CASES, loads(any_device, fitting), strict=True)) == dict.fromkeys(
        CASES, ACCEPTED
    )
    tight = {
        name: made(name, case, state=case.peak + (name in LOCALS) - 1)
        for name, case in CASES.items()
        if case.peak + (name in LOCALS) > 1
    }
    answers = dict(zip(tight, loads(any_device, list(tight.values())), strict=True))
    assert answers == dict.fromkeys(tight, REJECTED)


def test_a_missing_operand_on_the_stack_is_rejected(any_device: Device) -> None:
    short = {name: case for name, case in CASES.items() if case.before}
    files = [made(name, case, skip=1) for name, case in short.items()]
    answers = dict(zip(short, loads(any_device, files), strict=True))
    assert answers == dict.fromkeys(short, REJECTED)


def test_an_instruction_that_ends_too_early_is_rejected(any_device: Device) -> None:
    longer = {name: case for name, case in CASES.items() if case.operand != b""}
    files = [made(name, case, cut=True) for name, case in longer.items()]
    assert set(loads(any_device, files)) == {REJECTED}


def test_numbers_beyond_the_tables_are_rejected(any_device: Device) -> None:
    known = tables()
    files = {}
    for value, name in known.opcodes.items():
        if name in CASES and known.formats[value >> 4] == "qstr":
            files[name] = made(name, Case(CASES[name].before, 8, 2))
    for name in ("LOAD_CONST_OBJ", "MAKE_FUNCTION", "LOAD_FAST_N", "STORE_FAST_N", "DELETE_FAST"):
        files[name] = made(name, Case(CASES[name].before, 8, 9))
    for name in ("BUILD_TUPLE", "BUILD_LIST", "BUILD_SET"):
        files[name] = made(name, Case(CASES[name].before, 8, 3))
    files["BUILD_SLICE"] = made("BUILD_SLICE", Case([VALUE] * 4, 8, 4))
    files["STORE_COMP"] = made("STORE_COMP", Case([("BUILD_LIST", 0), VALUE], 8, 1 << 2 | 1))
    files["UNPACK_EX"] = made("UNPACK_EX", Case([VALUE], 8, 1 << 16))
    files["CALL_FUNCTION"] = made("CALL_FUNCTION", Case([VALUE], 8, 1 << 16))
    files["huge"] = made("UNPACK_SEQUENCE", Case([VALUE], 8, 0xFFFFFFFF))
    files["endless"] = made("BUILD_MAP", Case([], 8, b"\x80" * 12 + b"\x01"))
    assert dict(zip(files, loads(any_device, list(files.values())), strict=True)) == (
        dict.fromkeys(files, REJECTED)
    )


def test_unknown_instructions_are_rejected(any_device: Device) -> None:
    known = tables()
    used = set(known.opcodes)
    for first, count in known.families.values():
        used |= set(range(first, first + count))
    unknown = [value for value in range(256) if value not in used]
    code = [assemble(*[VALUE] * 4) + bytes([value, 0, 0]) + assemble(*RETURN) for value in unknown]
    assert len(unknown) > 20
    assert set(loads(any_device, [module(function(one, state=9)) for one in code])) == {REJECTED}


def test_jumps_lead_to_instructions_of_the_function(any_device: Device) -> None:
    targets: dict[str, list[Instruction]] = {
        "past the end": [("JUMP", b"\x43"), *RETURN],
        "before the start": [("JUMP", b"\x3d"), *RETURN],
        "into an instruction": [("JUMP", b"\x41"), ("LOAD_NAME", 0), "RETURN_VALUE"],
        "far": [("JUMP", b"\xff\xff"), *RETURN],
    }
    files = [module(function(assemble(*code))) for code in targets.values()]
    assert dict(zip(targets, loads(any_device, files), strict=True)) == dict.fromkeys(
        targets, REJECTED
    )


DEPTHS: dict[str, tuple[list[Instruction], str]] = {
    "a loop that grows": ([VALUE, ("JUMP", b"\x3d")], REJECTED),
    "a loop that shrinks": ([VALUE, VALUE, "POP_TOP", ("JUMP", b"\x3d")], REJECTED),
    "two depths": ([VALUE, ("POP_JUMP_IF_TRUE", b"\x41"), VALUE, *RETURN], REJECTED),
    "no end": ([VALUE, "POP_TOP"], REJECTED),
    "an endless loop": ([("JUMP", b"\x3e")], ACCEPTED),
    "no value returned": (["LOAD_NULL", "RETURN_VALUE"], REJECTED),
    "no value stored": (["LOAD_NULL", ("STORE_NAME", 0), *RETURN], REJECTED),
    "no value called": (["LOAD_NULL", ("CALL_FUNCTION", 0), "RETURN_VALUE"], REJECTED),
    "no value deleted": (["LOAD_NULL", VALUE, ("STORE_ATTR", 0), *RETURN], ACCEPTED),
    "a method without its object": ([VALUE, ("LOAD_METHOD", 0), "RETURN_VALUE"], REJECTED),
    "a method with another object": (
        [VALUE, ("LOAD_METHOD", 0), "POP_TOP", VALUE, ("CALL_METHOD", 0), "RETURN_VALUE"],
        REJECTED,
    ),
    "a method as a function": (
        [VALUE, ("LOAD_METHOD", 0), "POP_TOP", ("CALL_FUNCTION", 0), "RETURN_VALUE"],
        REJECTED,
    ),
    "methods that exchange their objects": (
        [
            VALUE,
            ("LOAD_METHOD", 0),
            VALUE,
            ("LOAD_METHOD", 0),
            "ROT_THREE",
            "POP_TOP",
            "POP_TOP",
            ("CALL_METHOD", 0),
            "RETURN_VALUE",
        ],
        REJECTED,
    ),
    "an object below a method": (
        [
            VALUE,
            VALUE,
            ("LOAD_METHOD", 0),
            "ROT_THREE",
            "ROT_THREE",
            ("CALL_METHOD", 1),
            "RETURN_VALUE",
        ],
        ACCEPTED,
    ),
    "an argument without a name": (
        [VALUE, VALUE, VALUE, ("CALL_FUNCTION", 1 << 8), "RETURN_VALUE"],
        REJECTED,
    ),
    "no number of stars": ([VALUE, VALUE, ("CALL_FUNCTION_VAR_KW", 0), "RETURN_VALUE"], REJECTED),
    "a comprehension of nothing": ([VALUE, VALUE, ("STORE_COMP", 4), *RETURN], REJECTED),
    "a dict as a list": ([("BUILD_MAP", 0), VALUE, ("STORE_COMP", 4), *RETURN], REJECTED),
    "an item of no loop": (
        [*[VALUE] * 4, ("FOR_ITER", b"\x03"), "POP_TOP", ("JUMP", b"\x3b"), *RETURN],
        REJECTED,
    ),
    "half an iterator": (
        [
            VALUE,
            ITER,
            "POP_TOP",
            VALUE,
            ("FOR_ITER", b"\x03"),
            "POP_TOP",
            ("JUMP", b"\x3b"),
            *RETURN,
        ],
        REJECTED,
    ),
    "an iterator as an object": ([VALUE, ITER, "RETURN_VALUE"], REJECTED),
    "a copy of an iterator": ([VALUE, ITER, "DUP_TOP", "POP_TOP", *RETURN], REJECTED),
    "a generator's iterator": (
        [
            "LOAD_NULL",
            VALUE,
            "LOAD_NULL",
            "LOAD_NULL",
            ("FOR_ITER", b"\x03"),
            "POP_TOP",
            ("JUMP", b"\x3b"),
            *RETURN,
        ],
        ACCEPTED,
    ),
    "yield outside of a generator": ([VALUE, "YIELD_VALUE", "RETURN_VALUE"], REJECTED),
}


def test_depths_and_types_of_the_stack(any_device: Device) -> None:
    files = [module(function(assemble(*code))) for code, _ in DEPTHS.values()]
    answers = dict(zip(DEPTHS, loads(any_device, files), strict=True))
    assert answers == {name: answer for name, (_, answer) in DEPTHS.items()}


END: list[Instruction] = ["END_FINALLY", *RETURN]
HANDLERS: dict[str, tuple[list[Instruction], str]] = {
    "except": ([("SETUP_EXCEPT", b"\x02"), ("POP_EXCEPT_JUMP", b"\x01"), *END], ACCEPTED),
    "finally": ([("SETUP_FINALLY", b"\x01"), "LOAD_CONST_NONE", *END], ACCEPTED),
    "no room for a handler": (
        [("SETUP_FINALLY", b"\x06")] * 2 + ["LOAD_CONST_NONE", *END],
        REJECTED,
    ),
    "no handler to end": (["LOAD_CONST_NONE", *END], REJECTED),
    "no handler to pop": ([("POP_EXCEPT_JUMP", b"\x00"), *RETURN], REJECTED),
    "a finally that is popped": (
        [("SETUP_FINALLY", b"\x02"), ("POP_EXCEPT_JUMP", b"\x01"), *END],
        REJECTED,
    ),
    "an object as the cause": ([("SETUP_FINALLY", b"\x01"), VALUE, *END], REJECTED),
    "two values": ([("SETUP_FINALLY", b"\x02"), VALUE, "LOAD_CONST_NONE", *END], REJECTED),
    "no cause": ([("SETUP_FINALLY", b"\x00"), *END], REJECTED),
    "a cause that is dropped": (
        [("SETUP_FINALLY", b"\x01"), "LOAD_CONST_NONE", "POP_TOP", "LOAD_CONST_NONE", *END],
        REJECTED,
    ),
    "a handler that is jumped over": (
        [("SETUP_FINALLY", b"\x03"), "LOAD_CONST_NONE", ("JUMP", b"\x41"), "END_FINALLY", *END],
        REJECTED,
    ),
    "a jump back out of a handler": (
        [("SETUP_FINALLY", b"\x01"), "LOAD_CONST_NONE", ("JUMP", b"\x3d"), *END],
        REJECTED,
    ),
    "a value below the handler": (
        [
            VALUE,
            ("SETUP_EXCEPT", b"\x04"),
            "POP_TOP",
            VALUE,
            ("POP_EXCEPT_JUMP", b"\x02"),
            "POP_TOP",
            *END,
        ],
        REJECTED,
    ),
    "jump out of a finally": (
        [("SETUP_FINALLY", b"\x03"), ("UNWIND_JUMP", b"\x42\x01"), "END_FINALLY", *RETURN],
        ACCEPTED,
    ),
    "jump out of too many": (
        [("SETUP_FINALLY", b"\x03"), ("UNWIND_JUMP", b"\x42\x02"), "END_FINALLY", *RETURN],
        REJECTED,
    ),
    "jump with a value": (
        [("SETUP_FINALLY", b"\x04"), VALUE, ("UNWIND_JUMP", b"\x42\x01"), "END_FINALLY", *RETURN],
        REJECTED,
    ),
    "jump out of no loop": (
        [("SETUP_FINALLY", b"\x03"), ("UNWIND_JUMP", b"\x42\x81"), "END_FINALLY", *RETURN],
        REJECTED,
    ),
    "with": (
        [VALUE, ("SETUP_WITH", b"\x02"), "POP_TOP", "LOAD_CONST_NONE", "WITH_CLEANUP", *END],
        ACCEPTED,
    ),
    "with, and no end": (
        [VALUE, ("SETUP_WITH", b"\x02"), "POP_TOP", "LOAD_CONST_NONE", *END],
        REJECTED,
    ),
    "an end, and no with": (
        [("SETUP_FINALLY", b"\x01"), "LOAD_CONST_NONE", "WITH_CLEANUP", *END],
        REJECTED,
    ),
    "with, whose methods are gone": (
        [
            VALUE,
            ("SETUP_WITH", b"\x05"),
            "POP_TOP",
            "POP_TOP",
            "POP_TOP",
            VALUE,
            VALUE,
            "LOAD_CONST_NONE",
            "WITH_CLEANUP",
            *END,
        ],
        REJECTED,
    ),
}


def test_handlers(any_device: Device) -> None:
    files = [module(function(assemble(*code), handlers=1)) for code, _ in HANDLERS.values()]
    answers = dict(zip(HANDLERS, loads(any_device, files), strict=True))
    assert answers == {name: answer for name, (_, answer) in HANDLERS.items()}


LOAD_CELL = function(assemble(("LOAD_DEREF", 0), "RETURN_VALUE"), positional=1)
DEFAULT = function(assemble(*RETURN), positional=1, defaults=1)
BY_NAME = function(assemble(*RETURN), keyword=1, flags=8)
PASS_CELL = ("LOAD_FAST_N", 0)
CLOSURES: dict[str, tuple[list[Instruction], bytes, str]] = {
    "a cell": ([PASS_CELL, ("MAKE_CLOSURE", b"\0\1"), "RETURN_VALUE"], LOAD_CELL, ACCEPTED),
    "an object as the cell": (
        [VALUE, ("MAKE_CLOSURE", b"\0\1"), "RETURN_VALUE"],
        LOAD_CELL,
        REJECTED,
    ),
    "no cell": ([("MAKE_CLOSURE", b"\0\0"), "RETURN_VALUE"], LOAD_CELL, REJECTED),
    "no closure": ([("MAKE_FUNCTION", 0), "RETURN_VALUE"], LOAD_CELL, REJECTED),
    "a cell that is stored to": (
        [VALUE, ("STORE_FAST_N", 0), PASS_CELL, ("MAKE_CLOSURE", b"\0\1"), "RETURN_VALUE"],
        LOAD_CELL,
        REJECTED,
    ),
    "a default": (
        [VALUE, ("BUILD_TUPLE", 1), "LOAD_NULL", ("MAKE_FUNCTION_DEFARGS", 0), "RETURN_VALUE"],
        DEFAULT,
        ACCEPTED,
    ),
    "two defaults": (
        [
            VALUE,
            VALUE,
            ("BUILD_TUPLE", 2),
            "LOAD_NULL",
            ("MAKE_FUNCTION_DEFARGS", 0),
            "RETURN_VALUE",
        ],
        DEFAULT,
        REJECTED,
    ),
    "no default": ([("MAKE_FUNCTION", 0), "RETURN_VALUE"], DEFAULT, REJECTED),
    "an object as defaults": (
        [VALUE, "LOAD_NULL", ("MAKE_FUNCTION_DEFARGS", 0), "RETURN_VALUE"],
        DEFAULT,
        REJECTED,
    ),
    "a dict of defaults": (
        ["LOAD_NULL", ("BUILD_MAP", 0), ("MAKE_FUNCTION_DEFARGS", 0), "RETURN_VALUE"],
        BY_NAME,
        ACCEPTED,
    ),
    "an object as a dict": (
        ["LOAD_NULL", VALUE, ("MAKE_FUNCTION_DEFARGS", 0), "RETURN_VALUE"],
        BY_NAME,
        REJECTED,
    ),
    "a cell and a default": (
        [
            VALUE,
            ("BUILD_TUPLE", 1),
            "LOAD_NULL",
            PASS_CELL,
            ("MAKE_CLOSURE_DEFARGS", b"\0\1"),
            "RETURN_VALUE",
        ],
        DEFAULT,
        ACCEPTED,
    ),
}


def test_cells_and_default_values(any_device: Device) -> None:
    files = [
        module(function(assemble(*code), cells=b"\0", children=[child]))
        for code, child, _ in CLOSURES.values()
    ]
    answers = dict(zip(CLOSURES, loads(any_device, files), strict=True))
    assert answers == {name: answer for name, (_, _, answer) in CLOSURES.items()}


@pytest.mark.parametrize("name", ["LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF"])
def test_a_local_that_is_no_cell_is_not_used_as_one(any_device: Device, name: str) -> None:
    code = assemble(VALUE, (name, 0), *RETURN)
    files = [module(function(code, cells=cells)) for cells in (b"\0", b"\1", b"")]
    assert loads(any_device, files) == [ACCEPTED, REJECTED, REJECTED]


def test_preludes(any_device: Device) -> None:
    code = assemble(*RETURN)
    files = {
        "arguments without slots": function(code, state=2, positional=3),
        "more defaults than arguments": function(code, defaults=2, positional=1),
        "unknown flags": function(code, flags=0x10),
        "a name beyond the table": function(code, info=b"\x02"),
        "no name": function(code, info=b""),
        "a name of an argument too few": function(code, info=b"\0", positional=1),
        "half a line number": function(code, info=b"\0\x80"),
        "a cell beyond the frame": function(code, state=4, cells=b"\4"),
        "too many slots": function(code, state=0x10001),
        "no code": function(b""),
        "nothing": number(0),
        "a number without an end": number(4 << 3) + b"\xff" * 4,
        "native code": number(len(code) << 3 | 1) + code,
        "a child that is missing": number((len(code) + 3) << 3 | 4) + function(code)[1:],
    }
    answers = loads(any_device, [module(top) for top in files.values()])
    assert dict(zip(files, answers, strict=True)) == dict.fromkeys(files, REJECTED)


def test_tables(any_device: Device) -> None:
    top = function(assemble(*RETURN))
    head = bytes([ord("M"), 6, 0, 31])
    files = {
        "no names": module(top, names=[]),
        "a name that is no UTF-8": module(top, names=[b"\xff\xfe"]),
        "a static name that there is not": head + b"\x01\x00" + number(60001) + top,
        "a text that is no UTF-8": module(top, objects=[b"\x05\x01\xff\x00"]),
        "the table of functions": module(top, objects=[b"\x00"]),
        "an unknown object": module(top, objects=[b"\x0b\x00"]),
        "a long tuple": module(top, objects=[b"\x0a" + number(1 << 30)]),
        "a long text": module(top, objects=[b"\x06" + number(1 << 30)]),
        "many names": head + number(1 << 31) + b"\x00" + top,
        "another version": b"M\x05" + PLAIN[2:],
        "wide integers": PLAIN[:3] + b"\x40" + PLAIN[4:],
        "another letter": b"m" + PLAIN[1:],
    }
    answers = loads(any_device, list(files.values()))
    assert dict(zip(files, answers, strict=True)) == dict.fromkeys(files, REJECTED)
    assert loads(any_device, [module(top, objects=[b"\x05\x02\xc3\xa9\x00", NONE_OBJECT])]) == [
        ACCEPTED
    ]


def test_nested_tuples_and_functions_raise_instead_of_overrunning_the_stack(
    any_device: Device,
) -> None:
    top = function(assemble(*RETURN))
    for _ in range(1500):
        top = function(assemble(*RETURN), children=[top])
    deep = [module(PLAIN[-6:], objects=[b"\x0a\x01" * 1500 + NONE_OBJECT]), module(top)]
    for answer in loads(any_device, deep):
        assert answer.startswith("RecursionError(")


def test_every_truncation_is_rejected(any_device: Device) -> None:
    code = assemble(
        VALUE, ("BUILD_TUPLE", 1), "LOAD_NULL", ("MAKE_FUNCTION_DEFARGS", 0), "RETURN_VALUE"
    )
    whole = module(function(code, children=[DEFAULT]), objects=[b"\x0a\x02\x05\x01a\0\x01"])
    assert loads(any_device, [whole]) == [ACCEPTED]
    cut = [whole[:length] for length in range(len(whole))]
    assert set(loads(any_device, cut)) == {REJECTED}


def test_an_imported_file_is_verified(any_device: Device) -> None:
    bad = b"M\x06\x00\x1f" + bytes(100)
    source = (
        f"with open('good.mpy', 'wb') as f: f.write({PLAIN!r})\n"
        f"with open('bad.mpy', 'wb') as f: f.write({bad!r})\n"
        "import good\nprint(good.__name__)\n"
        "try: import bad\nexcept ValueError as e: print(e)\n"
    )
    for sandbox in (False, True):
        options: dict[str, Any] = {"sandbox": sandbox, "fs": Image.empty(64 << 10), "stdout": 256}
        with InterpreterArray(1, device=any_device, **options) as array:
            printed = array.exec(source).stdout[0]
        assert printed.decode() == "good\nincompatible .mpy file\n"


def test_what_is_verified_is_what_is_loaded(any_device: Device) -> None:
    # The name of the outermost function of a copy, while the buffer says something else by now.
    source = (
        "import marshal\n"
        f"b = bytearray({PLAIN!r})\n"
        "code = marshal.loads(b)\n"
        "for i in range(len(b)): b[i] = 0xff\n"
        "print(type(lambda: 0)(code, {})())\n"
    )
    result = run(
        any_device, [Program(source.encode(), "t")], 1, Launch(stdout=256, merge_stderr=True)
    )
    assert result.stdout[0].decode() == "None\n"
