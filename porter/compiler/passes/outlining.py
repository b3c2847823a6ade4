"""Outlining for GPUs: split a Python function into C++ functions whose loops have a single entry.

Lanes of a warp that leave a loop in different iterations reconverge behind it only if `nvcc` finds
a single entry into the loop. `nvcc` then sets a convergence barrier before the loop (BSSY and BSYNC
in SASS). A lane that leaves the loop by a side exit is removed from the barrier (BREAK). Entries
from the interpreter into the middle of a loop are further entries, and prevent the barrier.

A function that has such entries therefore becomes several C++ functions, its regions:

* The start region is entered at the function's start only. It has all blocks reachable from there.
* Each outermost loop is a region that is entered at the loop's head only.
* One more region has all other entries.

The last region continues in the region of a loop when control flow reaches the loop's head. The
region of a loop continues in the last region where the loop ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING

from attrs import evolve

from porter.compiler.ir.operations import FunctionIR, IrBlock, Region
from porter.compiler.options import CompilerOptions

if TYPE_CHECKING:
    import networkx


def run(function: FunctionIR, options: CompilerOptions) -> FunctionIR:
    """Return the function split into regions, if it is for a GPU."""
    if options.enter != "apart":
        return function
    (whole,) = function.regions
    return evolve(function, regions=tuple(split(whole, function.heads)))


def split(whole: Region, heads: frozenset[int]) -> list[Region]:
    """Return the regions of a function.

    Args:
        whole: All blocks of the function. Entry 0 is the function's start.
        heads: Positions of loop heads.
    """
    entries, blocks = whole.entries, whole.blocks
    ways = _ways(blocks)
    loops = dict(_loops(ways, heads & frozenset(entries)))
    others = [at for at in entries if at and at not in loops]
    regions = [_region(f"_{head}", (head,), inside, blocks) for head, inside in loops.items()]
    for region in regions:
        ends = {to for at in region.blocks for to in ways[at]} - region.blocks.keys() - loops.keys()
        others += sorted(ends - set(others))
    if 0 in entries and 0 not in loops:
        regions.insert(0, _region("_start", (0,), _reached(ways, [0], frozenset()), blocks))
    if others:
        reached = _reached(ways, others, frozenset(loops))
        regions.append(_region("_within", tuple(others), reached, blocks))
    return regions if len(regions) > 1 else [whole]


def _region(
    name: str, entries: tuple[int, ...], inside: Set[int], blocks: Mapping[int, IrBlock]
) -> Region:
    return Region(name, entries, {at: blocks[at] for at in sorted(inside)})


def _ways(blocks: Mapping[int, IrBlock]) -> networkx.DiGraph[int]:
    import networkx  # slow to load, and most commands compile nothing

    ways: networkx.DiGraph[int] = networkx.DiGraph()
    ways.add_nodes_from(blocks)
    for at, block in blocks.items():
        ways.add_edges_from((at, to) for to in block.successors if to in blocks)
    return ways


def _loops(
    ways: networkx.DiGraph[int], heads: frozenset[int]
) -> Iterator[tuple[int, frozenset[int]]]:
    """Yield the blocks of each outermost loop after a head that can be their only entry."""
    import networkx  # slow to load, and most commands compile nothing

    for inside in networkx.strongly_connected_components(ways):
        if len(inside) == 1 and not any(ways.has_edge(at, at) for at in inside):
            continue
        loop = ways.subgraph(inside)
        # The outermost loop's head has the lowest position; a `while` loop may have several heads.
        head = next((at for at in sorted(heads & inside) if has_one_way_in(loop, at)), None)
        if head is not None:
            yield head, frozenset(inside)


def has_one_way_in(ways: networkx.DiGraph[int], entry: int) -> bool:
    """Return whether the control flow graph is reducible if it is entered at `entry`.

    In a reducible graph each loop has a single entry: every back edge leads to a block that
    dominates the edge's source.
    """
    import networkx  # slow to load, and most commands compile nothing

    above = networkx.immediate_dominators(ways, entry)
    place = {at: -n for n, at in enumerate(networkx.dfs_postorder_nodes(ways, entry))}

    def passes(through: int, at: int) -> bool:
        while at != through and at != entry:
            at = above[at]
        return at == through

    return all(passes(to, at) for at, to in ways.edges if place[to] <= place[at])


def _reached(
    ways: networkx.DiGraph[int], entries: Sequence[int], ends: frozenset[int]
) -> frozenset[int]:
    """Return the blocks that are reachable from `entries` without passing through `ends`."""
    found: set[int] = set()
    todo = list(entries)
    while todo:
        at = todo.pop()
        if at not in found and at not in ends:
            found.add(at)
            todo += ways[at]
    return frozenset(found)
