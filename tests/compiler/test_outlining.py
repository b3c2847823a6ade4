"""Outlining: the division of blocks into regions, such that each loop has one entry."""

from __future__ import annotations

import re
from collections.abc import Callable

import networkx
import pytest

from porter.compiler.cxx import compile_module
from porter.compiler.ir.operations import BlockJump, IrBlock, Region
from porter.compiler.mpy import BytecodeModule
from porter.compiler.options import CompilerOptions
from porter.compiler.passes.outlining import split
from porter.compiler.representations import Shape
from porter.compiler.tables import Tables


def whole(entries: list[int], ways: dict[int, list[int]]) -> Region:
    """Return a region whose blocks only jump."""
    empty = Shape((), (), ())
    blocks = {
        at: IrBlock(at, "", empty, tuple(BlockJump(to) for to in followers))
        for at, followers in ways.items()
    }
    return Region("", tuple(entries), blocks)


def regions(
    entries: list[int], heads: set[int], ways: dict[int, list[int]]
) -> list[tuple[str, tuple[int, ...], set[int]]]:
    """Return the name, entries and blocks of each region."""
    found = split(whole(entries, ways), frozenset(heads))
    return [(region.name, region.entries, set(region.blocks)) for region in found]


LOOP = {0: [4], 4: [8], 8: [4, 12], 12: []}


def test_a_function_whose_loops_have_one_entry_stays_whole() -> None:
    assert regions([0], {4}, LOOP) == [("", (0,), set(LOOP))]
    assert regions([4], {4}, {4: [4]}) == [("", (4,), {4})]


def test_a_loop_that_is_entered_is_a_region_of_its_own() -> None:
    assert regions([0, 4], {4}, LOOP) == [
        ("_start", (0,), set(LOOP)),
        ("_4", (4,), {4, 8}),
        ("_within", (12,), {12}),
    ]


def test_entries_within_a_loop_lead_to_the_region_of_the_loop() -> None:
    _, own, within = regions([0, 4, 8], {4}, LOOP)
    assert own[1] == (4,) and within[1] == (8, 12)
    assert within[2] == {8, 12}  # from 8 control continues at 4, in the other region


def test_of_nested_loops_the_outermost_is_a_region() -> None:
    ways = {0: [4], 4: [8], 8: [8, 12], 12: [4, 16], 16: []}
    found = {name: (entries, inside) for name, entries, inside in regions([0, 4, 8], {4, 8}, ways)}
    assert set(found) == {"_start", "_4", "_within"}
    assert found["_4"][1] == {4, 8, 12}
    assert 8 in found["_within"][0]


@pytest.mark.parametrize("entries", [[0, 4], [0, 4, 8], [4, 8], [0, 8, 12]])
def test_every_edge_leads_to_a_block_or_an_entry(entries: list[int]) -> None:
    found = split(whole(entries, LOOP), frozenset([4]))
    entered = {at for region in found for at in region.entries}
    assert entered >= set(entries)
    for region in found:
        assert set(region.exits) <= entered
        for at in region.blocks:
            assert set(LOOP[at]) <= region.blocks.keys() | entered


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


def test_the_text_after_the_pass(ir: Callable[..., str]) -> None:
    source = (
        "def f(n):\n    total = 0\n    while total < n:\n        total += g(n)\n    return total\n"
    )
    text = ir(source, "outlining", enter="apart")
    regions = [line.strip() for line in text.splitlines() if line.strip().startswith("region ")]
    start, loop, within = regions
    assert start == "region start, entered at 0"
    assert re.fullmatch(r"region \d+, entered at \d+", loop)
    assert within.startswith("region within, entered at ")
    assert "region whole" in ir(source, "construction", enter="apart")
    assert "region whole" in ir(source, "outlining", enter="usual")
