"""Profitable entries of native code: on the host, and on GPUs, whose lanes wait for each other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from porter.compiler.cxx import units_of
from porter.compiler.graph import MOST_LOADS, Graph
from porter.compiler.mpy import BytecodeModule
from porter.compiler.options import SEEN_INT, SEEN_OTHER, CompilerOptions, Enter
from porter.compiler.tables import Tables

Entries = Callable[..., list[str]]


@pytest.fixture
def entries(module: Callable[[str], BytecodeModule], tables: Tables) -> Entries:
    """Return entries(source, enter, seen): the entries of the first function.

    An entry is "start", "loop" (at its head), "behind" a call or a loop, or "other". seen: the type
    feedback for each byte.
    """

    def found(source: str, enter: Enter = "apart", seen: int | None = None) -> list[str]:
        made = module(source)
        function = made.functions[1]
        last = function.start + function.code[-1].next
        hints = b"" if seen is None else bytes(function.start) + bytes([seen]) * (last + 1)
        options = CompilerOptions(hints=hints, enter=enter)
        unit = units_of(made, tables, options=options).get(1)
        return [] if unit is None else sorted(kind(unit.graph, at) for at in unit.graph.entries)

    return found


def kind(graph: Graph, at: int) -> str:
    if at == 0:
        return "start"
    return "loop" if at in graph.heads else "behind" if at in graph.behind else "other"


CALLS = """\
def f(n):
    total = 0
    for i in range(n):
        total += g(i)
        total += g(total) * 3 + n * 5 - (total ^ n) + (i | 3) - (n & 7)
    return total * 2 + n * 3 + (n & 3) - (total | 5) * (n + 7) + (n ^ total) * 11
"""


def test_what_lies_behind_calls_and_loops_is_an_entry_on_the_host_alone(entries: Entries) -> None:
    assert entries(CALLS, "usual").count("behind") == 2
    assert entries(CALLS) == ["loop", "start"]


@pytest.mark.parametrize(
    "stop", ["yield i", "try:\n            g(i)\n        except ValueError:\n            pass"]
)
def test_loops_that_stop_in_each_turn(entries: Entries, stop: str) -> None:
    source = f"def f(n):\n    for i in range(n):\n        {stop}\n"
    assert entries(source) == []
    work = "total = i * 3 + n * 5 - (i ^ n) + (i | 3) - (n & 7) + (i << 1) * 9"
    long = f"def f(n):\n    for i in range(n):\n        {work}\n        {work}\n        {stop}\n"
    assert entries(long) != []


def test_turns_that_stop_now_and_then_count_as_those_that_do(entries: Entries) -> None:
    source = "def f(n):\n    for i in range(n):\n        if i & 1:\n            yield i\n"
    assert entries(source) == []
    assert entries(source, "usual") != []


def test_loops_within_loops_that_stop(entries: Entries) -> None:
    source = """\
def f(n):
    for i in range(n):
        total = 0
        for k in range(i):
            total += k
        yield total
"""
    assert "loop" in entries(source)


def test_ways_out_of_a_loop_are_no_stops(entries: Entries) -> None:
    source = """\
def f(n):
    total = 0
    for i in range(n):
        if i > 1000:
            raise ValueError(i)
        if i == n:
            return total
        total += i
    return total
"""
    assert entries(source) == ["loop", "start"]


@pytest.mark.parametrize(
    "body",
    [
        "total = total * n",
        "total = total[i]",
        "total = [i, n]",
        "total = total * i * i * i * i + i * i * i * i * i * i * i",
    ],
)
@pytest.mark.parametrize("seen", [SEEN_OTHER, SEEN_OTHER | SEEN_INT])
def test_loops_that_make_objects(entries: Entries, body: str, seen: int) -> None:
    source = f"def f(n):\n    while True:\n        {body}\n"
    assert entries(source, seen=seen) == []
    assert entries(source, "usual", seen) != []


@pytest.mark.parametrize(
    "body", ["total = total * i * n", "total = total[i]", "total = [i, i, i, i, i, i, i]"]
)
def test_loops_that_make_numbers_or_few_objects(entries: Entries, body: str) -> None:
    source = f"def f(n):\n    while True:\n        {body}\n"
    assert entries(source, seen=SEEN_INT) == ["start"]  # which is the loop's


def test_functions_without_loops_are_entered_at_their_start(entries: Entries) -> None:
    source = "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n"
    assert entries(source) == ["start"]
    assert entries(source, "usual") == ["behind", "start"]


def test_everywhere_is_everywhere(entries: Entries) -> None:
    source = "def f(n):\n    for i in range(n):\n        yield i\n"
    assert len(entries(source, "everywhere")) > 4


@pytest.mark.parametrize(
    "body",
    ["".join(f"    x{i} = n\n" for i in range(120)), f"    return [{'n, ' * 120}]\n"],
    ids=["variables", "stack"],
)
def test_everywhere_has_an_end_where_much_is_loaded(entries: Entries, body: str) -> None:
    """Each entry loads variables and stack, and compilers take more than linear time for that."""
    assert 20 < len(entries(f"def f(n):\n{body}", "everywhere")) < 2 * MOST_LOADS / 60
