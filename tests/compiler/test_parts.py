"""Division of blocks into C++ functions, such that each loop has one entry."""

from __future__ import annotations

import re
from collections.abc import Callable

import networkx
import pytest

from porter.compiler.cxx import compile_module
from porter.compiler.mpy import BytecodeModule
from porter.compiler.options import CompilerOptions
from porter.compiler.parts import FunctionPart, parts_of, whole
from porter.compiler.strips import WrittenBlock
from porter.compiler.tables import Tables


def blocks(ways: dict[int, list[int]]) -> dict[int, WrittenBlock]:
    return {
        at: WrittenBlock(at, "", [f"goto L{to};" for to in followers])
        for at, followers in ways.items()
    }


LOOP = {0: [4], 4: [8], 8: [4, 12], 12: []}


def test_one_way_in_is_one_function() -> None:
    assert parts_of([0], frozenset([4]), blocks(LOOP)) == [whole([0], LOOP)]
    assert parts_of([4], frozenset([4]), blocks({4: [4]})) == [whole([4], [4])]


def test_a_loop_that_is_entered_has_a_function_of_its_own() -> None:
    start, own, within = parts_of([0, 4], frozenset([4]), blocks(LOOP))
    assert start == FunctionPart("_start", (0,), frozenset(LOOP))
    assert own == FunctionPart("_4", (4,), frozenset([4, 8]))
    assert within == FunctionPart("_within", (12,), frozenset([12]))


def test_entries_within_a_loop_lead_to_its_own() -> None:
    _, own, within = parts_of([0, 4, 8], frozenset([4]), blocks(LOOP))
    assert own.entries == (4,) and within.entries == (8, 12)
    assert within.blocks == {8, 12}  # from 8 control continues at 4, in the other function


def test_of_loops_within_loops_the_outermost_counts() -> None:
    ways = {0: [4], 4: [8], 8: [8, 12], 12: [4, 16], 16: []}
    found = {part.name: part for part in parts_of([0, 4, 8], frozenset([4, 8]), blocks(ways))}
    assert set(found) == {"_start", "_4", "_within"}
    assert found["_4"].blocks == {4, 8, 12}
    assert 8 in found["_within"].entries


@pytest.mark.parametrize("entries", [[0, 4], [0, 4, 8], [4, 8], [0, 8, 12]])
def test_every_way_leads_to_a_block_or_an_entry(entries: list[int]) -> None:
    parts = parts_of(entries, frozenset([4]), blocks(LOOP))
    entered = {at for part in parts for at in part.entries}
    assert entered >= set(entries)
    for part in parts:
        for at in part.blocks:
            assert set(LOOP[at]) <= part.blocks | entered


SOURCE = """\
def f(n):
    total = 0
    for i in range(n):
        for k in range(i):
            total += k
        total -= i
    while total > 10:
        total //= 2
    return total
"""


def test_each_function_of_a_module_has_one_way_into_its_loops(
    module: Callable[[str], BytecodeModule], tables: Tables
) -> None:
    """Read the C++: the blocks that each part's entries lead to, directly and indirectly."""
    text = compile_module(module(SOURCE), tables, options=CompilerOptions(enter="apart")).text
    loops = 0
    for each in text.split("\nstatic ")[1:]:
        ways: networkx.DiGraph[str] = networkx.DiGraph()
        for label, lines in re.findall(r"^(L\d+:| +switch)(.*?)^(?=L|})", each, re.S | re.M):
            ways.add_edges_from((label[:-1], to) for to in re.findall(r"goto (L\d+);", lines))
        for inside in networkx.strongly_connected_components(ways):
            if len(inside) > 1 or any(ways.has_edge(at, at) for at in inside):
                loops += 1
                heads = {to for at, to in ways.edges if to in inside and at not in inside}
                assert len(heads) == 1 or "_within" in each.split("(")[0]
    assert loops >= 3
