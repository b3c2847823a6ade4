"""Profitability of functions, and the C++ of calls between them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from porter.compiler.cxx import compile_module, units_of
from porter.compiler.mpy import BytecodeModule
from porter.compiler.options import SEEN_INT, CompilerOptions
from porter.compiler.tables import Tables

Module = Callable[[str], BytecodeModule]


def titles(module: Module, tables: Tables, source: str, hints: bytes = b"") -> set[str]:
    options = CompilerOptions(hints=hints)
    units = units_of(module(source), tables, source.split("\n"), options=options)
    return {unit.title for unit in units.values()}


@pytest.mark.parametrize("body", ["return other(n)", "return n", "return Made(n)", "n()"])
def test_functions_are_worth_it_and_bodies_of_classes_are_not(
    module: Module, tables: Tables, body: str
) -> None:
    source = f"class Made:\n    x = 1\ndef f(n):\n    {body}\n"
    assert titles(module, tables, source) == {"f"}


def test_what_nobody_ran_stays_bytecode(module: Module, tables: Tables) -> None:
    source = "def f(n):\n    return n + 1\ndef g(n):\n    return f(n)\n"
    made = module(source)
    first = made.functions[1]
    hints = bytearray(200)
    hints[first.start] = SEEN_INT
    assert titles(module, tables, source, bytes(hints)) == {"f"}


@pytest.mark.parametrize(
    ("head", "sizes"),
    [
        ("def f(a, b, c=3):", "4, 0, 3, 1, 2"),
        ("def f():", "1, 0, 0, 0, 1"),
        ("def f(a, *b):", None),
        ("def f(a, **b):", None),
        ("def f(a, *, b):", None),
        ("def f(a, *, b=1):", None),
    ],
)
def test_frames_of_odd_functions_are_upstreams(
    module: Module, tables: Tables, head: str, sizes: str | None
) -> None:
    made = compile_module(module(f"{head}\n    return 1\n"), tables)
    (case,) = re.findall(r"case \d+:\n(.*?)break;", called(made.text), re.DOTALL)[:1]
    assert ("tier_frame(" in case) == (sizes is not None)
    if sizes is not None:
        assert f"count, {sizes}, tier_code" in case
    assert "tier_any_frame(" in made.text


def called(text: str) -> str:
    """Return the part of a module's C++ that calls functions."""
    return text.split("*ran(")[1].split("\n}")[0]


def test_frames_of_what_stays_bytecode_are_made_too(module: Module, tables: Tables) -> None:
    source = "def f(n):\n    return n\ndef g(n, *m):\n    return n\n"
    hints = CompilerOptions(hints=bytes(200))  # no feedback: they never ran
    text = called(compile_module(module(source), tables, options=hints).text)
    assert text.count("case ") == text.count("next = frame; break;") == 1  # f
    assert "tier_any_frame(" not in text


def test_a_frame_that_closures_share_is_upstreams(module: Module, tables: Tables) -> None:
    text = called(compile_module(module("def f(n):\n    return lambda: n\n"), tables).text)
    _, outer, inner = text.split("case ")
    assert "tier_any_frame(" in outer and "tier_frame(" not in outer
    assert "tier_frame(" in inner


@pytest.mark.parametrize(
    ("body", "cases"), [("yield n if n & 1 else n * 3 + (n >> 2) * (n >> 3)", 0), ("print(n)", 1)]
)
def test_generators_are_called_by_the_interpreter(
    module: Module, tables: Tables, body: str, cases: int
) -> None:
    source = f"def f(n):\n    while n:\n        {body}\n        n -= 1\n"
    made = compile_module(module(source), tables)
    assert "f1(cs, entry, native)" in made.text  # f itself is compiled
    assert len(re.findall("case ", called(made.text))) == cases
