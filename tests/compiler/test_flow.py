"""The types that data flow determines at the head of a loop."""

from __future__ import annotations

import itertools
import textwrap
import time
from collections.abc import Callable

import pytest

from porter.compiler.construction import shapes_of
from porter.compiler.cxx import units_of
from porter.compiler.mpy import BytecodeModule
from porter.compiler.opcodes import ITERATOR
from porter.compiler.representations import BOOL, DEAD, FLOAT, INT, MEMORY, NUMBERS, OBJECT
from porter.compiler.tables import Tables
from tests.compiler import sources

KINDS = {OBJECT, *NUMBERS, MEMORY, DEAD}
Kinds = Callable[[str], tuple[list[str], list[str]]]


@pytest.fixture
def kinds(module: Callable[[str], BytecodeModule], tables: Tables) -> Kinds:
    """Return the types of the stack and of x, y, z at the head of the innermost loop of `body`."""

    def kinds(body: str) -> tuple[list[str], list[str]]:
        # This makes the three the first variables.
        body += "\nreturn x, y, z"
        text = "def f(x, y, z):\n" + textwrap.indent(body, "    ") + "\n"
        unit = units_of(module(text), tables)[1]
        graph = unit.graph
        head = max(graph.heads, key=lambda at: graph.blocks[at].depth)
        shape = shapes_of(unit)[head]
        return [known.kind for known in shape.stack], [known.kind for known in shape.locals[:3]]

    return kinds


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = y = 0\nwhile z:\n    x += 1\n    y += x * 2", [INT, INT, OBJECT]),
        ("x = 0.0\ny = 1\nwhile z:\n    x += y\n    y = 2", [FLOAT, INT, OBJECT]),
        (
            "x = True\ny = 1\nwhile z:\n    if x:\n        y += 1\n    x = y < 5",
            [BOOL, INT, OBJECT],
        ),
        ("x = 1\ny = 2.5\nwhile z:\n    x, y = x + 1, y / x", [INT, FLOAT, OBJECT]),
        ("x = 1\ny = 2\nwhile z:\n    x = y / x\n    y = 3", [OBJECT, INT, OBJECT]),
        # A variable that is a number at first and another type later is an object.
        ("x = 1\ny = 1\nwhile z:\n    z = z[x]\n    x = 'text'\n    y += 1", [OBJECT, INT, OBJECT]),
        ("x = 1\ny = 2.0\nwhile z:\n    x, y = y, x", [OBJECT, OBJECT, OBJECT]),
        ("x = 7\ny = 0\nwhile z:\n    y = ~x & 15 | y ^ 3\n    x -= 1", [INT, INT, OBJECT]),
    ],
)
def test_variables_of_a_loop(kinds: Kinds, body: str, expected: list[str]) -> None:
    assert kinds(body) == ([], expected)


def test_where_range_is_lies_on_the_stack(kinds: Kinds) -> None:
    stack, variables = kinds("y = 0\nfor x in range(10):\n    y += x")
    assert len(stack) in (1, 2)  # where it is, and its end if that is not a constant
    assert stack[-1] == INT
    assert variables[1] == INT


def test_an_iterator_is_memory(kinds: Kinds) -> None:
    stack, variables = kinds("y = 0\nfor x in z:\n    y += 1")
    assert len(stack) == ITERATOR
    assert MEMORY in stack
    assert not set(stack) & {INT, FLOAT, BOOL}
    assert variables[1] == INT
    assert variables[2] == OBJECT


def test_loops_in_loops_know_the_outer_ones_numbers(kinds: Kinds) -> None:
    body = "y = 0\nx = 0.0\nwhile z:\n    for i in range(3):\n        for j in range(4):\n"
    stack, variables = kinds(body + "            y += i\n            x += 0.5")
    assert stack.count(INT) >= 2
    assert variables == [FLOAT, INT, OBJECT]


def test_cells_are_objects(kinds: Kinds) -> None:
    _, variables = kinds("x = 0\nwhile z:\n    x += 1\ny = lambda: x")
    assert INT not in variables


@pytest.mark.parametrize("source", [sources.STATEMENTS, sources.WIDE, sources.CONSTANTS])
def test_every_block_has_a_shape_as_deep_as_it(
    module: Callable[[str], BytecodeModule], tables: Tables, source: str
) -> None:
    units = units_of(module(source), tables)
    assert units or source == sources.CONSTANTS
    for unit in units.values():
        graph, shapes = unit.graph, shapes_of(unit)
        assert shapes.keys() <= graph.blocks.keys()
        assert shapes.keys() >= graph.entries
        for at, shape in shapes.items():
            assert len(shape.stack) == graph.blocks[at].depth
            assert len(shape.locals) == graph.variables
            assert {known.kind for known in (*shape.stack, *shape.locals)} <= KINDS


def test_it_ends_soon_where_kinds_chase_each_other(
    module: Callable[[str], BytecodeModule], tables: Tables
) -> None:
    names = [f"v{i}" for i in range(40)]
    turn = "\n".join(
        f"        while {a}:\n            {a} = {b} + 1.5 if {b} else {a}"
        for a, b in itertools.pairwise(names)
    )
    begin = "\n".join(f"    {name} = {i}" for i, name in enumerate(names))
    made = module(f"def f(x):\n{begin}\n    while x:\n{turn}\n        {names[-1]} = 'end'\n")
    began = time.monotonic()
    assert shapes_of(units_of(made, tables)[1])
    assert time.monotonic() - began < 20
