"""Selection of loops for strip mining. test_speculation.py tests the execution of strips."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from porter.compiler.cxx import compile_module
from porter.compiler.ir.expressions import (
    AddressOf,
    Arithmetic,
    Compare,
    HelperCall,
    Integer,
    Not,
    Temporary,
    Variable,
    ViewAccess,
    parts,
)
from porter.compiler.ir.operations import (
    Assign,
    BlockJump,
    Branch,
    CountBranch,
    FastPath,
    Invoke,
    IrBlock,
    Operation,
    SetView,
    SlowPath,
    every,
)
from porter.compiler.mpy import BytecodeModule
from porter.compiler.options import SEEN_INT, CompilerOptions
from porter.compiler.passes.strip_mining import strips
from porter.compiler.representations import Shape
from porter.compiler.tables import Tables

HEAD = "def f(n, m, them):\n    t = 0\n    i = 0\n"


def arguments_of_strips(
    module: Callable[[str], BytecodeModule], tables: Tables, loop: str
) -> list[tuple[str, ...]]:
    """Return the arguments of each strip's number of turns."""
    body = "".join(f"    {line}\n" for line in loop.splitlines())
    source = f"{HEAD}{body}    return t\n"
    options = CompilerOptions(hints=bytes([SEEN_INT]) * 400)
    text = compile_module(module(source), tables, source.split("\n"), options=options).text
    calls = re.findall(r"= (?:left - )?tier_turns\((.+)\);", text)
    lists = [call.split(", ") for call in calls]
    return [tuple(re.sub(r"\b[svg]\d+i\b", "#", one) for one in listed) for listed in lists]


@pytest.mark.parametrize(
    ("loop", "left", "distance", "step"),  # variables of C++ are #
    [
        ("for i in range(100): t ^= i", "left", "INT64_C(100) - #", 1),
        ("for i in range(n): t ^= i", "left", "# - #", 1),
        ("for i in range(100, 0, -3): t ^= i", "left", "# - INT64_C(0)", 3),
        ("while i <= 40: i += 2", "left", "INT64_C(40) - # + 1", 2),
        ("for i in range(9):\n    if i & 1: t += 1", "left / 2", "INT64_C(9) - #", 1),
    ],
)
def test_a_loop_that_counts_gets_one(
    module: Callable[[str], BytecodeModule],
    tables: Tables,
    loop: str,
    left: str,
    distance: str,
    step: int,
) -> None:
    (found,) = arguments_of_strips(module, tables, loop)
    assert found == (left, distance, f"INT64_C({step})")


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(n): print(i)",  # which runs any code
        "while i < n: n -= 1; i += 1",  # another bound each time
        "while i < n:\n    if t: i += 1\n    else: i += 2",  # no one step
        "while i < n: i *= 2",
        "while i != n: i += 1",  # may never be equal
        "while t < i: i += 1",  # the bound is the counter
        "while i < n:\n    i += 1\n    i += 1",
        "for i in them: t ^= i",
    ],
)
def test_other_loops_get_none(
    module: Callable[[str], BytecodeModule], tables: Tables, loop: str
) -> None:
    assert arguments_of_strips(module, tables, loop) == []


def test_of_nested_loops_the_innermost(
    module: Callable[[str], BytecodeModule], tables: Tables
) -> None:
    nest = "for i in range(n):\n    for j in range(m):\n        t ^= i * j & 7"
    assert len(arguments_of_strips(module, tables, nest)) == 1


ONE, SLOT, BOUND, LOADED = Temporary(1), Variable("s0i"), Variable("v0i"), Temporary(2)
STRIP = """\
strip 16 while s1i < s0i, step 1, 1 branch per iteration
  jump 8 of strip 16 (s0i, s1i, v1i)
  block 8 (s0i: int, s1i: int, v1i: int)    3: for i in range(n):
    t3 = v1i ^ s1i
    t4 = s1i + 1
    s1i = t4
    v1i = t3
    next iteration of strip 16"""
EMPTY = Shape((), (), ())


def access(kind: str, view: int = 1, stores: bool = False) -> Operation:
    element = ONE if stores else AddressOf(ONE)
    fails = Not(ViewAccess(view, kind, SLOT, element, stores))
    call = Invoke(HelperCall("slow"), None, 0)
    return FastPath(0, fails, SlowPath((), call))


@pytest.mark.parametrize(
    ("uses", "typecodes"),
    [
        ([access("int")], [{1: "B"}, {1: "i"}]),
        ([access("float", stores=True)], [{1: "f"}, {1: "d"}]),
        ([access("int"), access("float", 2, True)], [{1: "B", 2: "f"}, {1: "i", 2: "d"}]),
        ([access("int"), access("float", 1, True)], []),  # both of one array
        ([SetView(1, Variable("v1o")), access("int")], []),  # each iteration has its own array
        ([access("object")], []),
        ([access("int")] * 25, []),  # two lines of C++ each
        ([], []),
    ],
)
def test_strips_for_common_typecodes(
    uses: list[Operation], typecodes: list[dict[int, str]]
) -> None:
    test = Compare("LESS", SLOT, BOUND, integers=True)
    head = IrBlock(2, "", EMPTY, (CountBranch(), Branch(test, True, (BlockJump(1),)), BlockJump(3)))
    counts = (Assign(LOADED, Arithmetic("+", SLOT, Integer(1))), Assign(SLOT, LOADED))
    body = IrBlock(1, "", EMPTY, (*uses, *counts, BlockJump(2)))
    found = list(strips(head, {1: body, 2: head}))
    assert [strip.typecodes for strip in found] == [*typecodes, {}]
    for strip in found:
        accesses = [
            part
            for each in every(strip.blocks[0].operations)
            if isinstance(each, FastPath)
            for part in parts(each.fails)
            if isinstance(part, ViewAccess)
        ]
        assert [one.typecode for one in accesses] == [
            strip.typecodes.get(one.view, "") for one in accesses
        ]
        assert len(accesses) == sum(isinstance(use, FastPath) for use in uses)


def test_the_text_after_the_pass(ir: Callable[..., str]) -> None:
    source = "def f(n):\n    t = 0\n    for i in range(n):\n        t ^= i\n    return t\n"
    before, after = (ir(source, name).splitlines() for name in ("outlining", "strip-mining"))
    start = next(k for k, line in enumerate(after) if line.startswith("      strip "))
    end = next(k for k, line in enumerate(after) if k > start and line.startswith("      poll"))
    assert after[:start] + after[end:] == before
    assert "\n".join(line[6:] for line in after[start:end]) == STRIP
