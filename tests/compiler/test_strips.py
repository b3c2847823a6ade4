"""Selection of loops for strip mining. test_speculation.py tests the execution of strips."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from porter.compiler.cxx import compile_module
from porter.compiler.emitter import TAKES, CounterTest
from porter.compiler.mpy import BytecodeModule
from porter.compiler.options import SEEN_INT, CompilerOptions
from porter.compiler.strips import WrittenBlock, strip
from porter.compiler.tables import Tables

HEAD = "def f(n, m, them):\n    t = 0\n    i = 0\n"


def strips(
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
    (found,) = strips(module, tables, loop)
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
    assert strips(module, tables, loop) == []


def test_of_nested_loops_the_innermost(
    module: Callable[[str], BytecodeModule], tables: Tables
) -> None:
    nest = "for i in range(n):\n    for j in range(m):\n        t ^= i * j & 7"
    assert len(strips(module, tables, nest)) == 1


LOAD = "if (TIER_UNLIKELY(!tier_view_{}(e1, e1n, e1c, s0i, &t1))) {{ goto Y1; }}"
STORE = "if (TIER_UNLIKELY(!tier_view_store_{}(e{}, e{}n, e{}c, s0i, t1))) {{ goto Y2; }}"


@pytest.mark.parametrize(
    ("uses", "asked"),
    [
        ([LOAD.format("int")], ["e1c == 'B'", "e1c == 'i'"]),
        ([STORE.format("float", 1, 1, 1)], ["e1c == 'f'", "e1c == 'd'"]),
        (
            [LOAD.format("int"), STORE.format("float", 2, 2, 2)],
            ["e1c == 'B' && e2c == 'f'", "e1c == 'i' && e2c == 'd'"],
        ),
        ([LOAD.format("int"), STORE.format("float", 1, 1, 1)], []),  # both of one array
        (["TIER_VIEW(e1, v1o)", LOAD.format("int")], []),  # another array each turn, perhaps
        ([LOAD.format("object")], []),
        ([LOAD.format("int")] * 50, []),
        ([], []),
    ],
)
def test_kinds_of_arrays_are_asked_for_once(uses: list[str], asked: list[str]) -> None:
    test = CounterTest("LESS", "s0i", "v0i", 1, "(s0i < v0i)")
    ways = ["if ((s0i < v0i)) {", "goto L1;", "}", "goto L3;"]
    head = WrittenBlock(2, "", [TAKES, *ways], test)
    body = WrittenBlock(1, "", [*uses, "t2 = s0i + INT64_C(1);", "s0i = t2;", "goto L2;"])
    text = "\n".join(strip(head, {1: body, 2: head}))
    assert re.findall(r"if \((e.+)\) \{", text) == asked
    assert text.count("goto Y") == len(uses) * (1 + len(asked)) - len(
        [use for use in uses if "VIEW" in use]
    )
    for code in re.findall("'.'", " ".join(asked)):
        assert f"n, {code}, s0i" in text
