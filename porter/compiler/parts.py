"""Outlining for GPUs: split a Python function into C++ functions whose loops have a single entry.

Lanes of a warp that leave a loop in different iterations reconverge behind it only if `nvcc` finds
a single entry into the loop. `nvcc` then sets a convergence barrier before the loop (BSSY and BSYNC
in SASS). A lane that leaves the loop by a side exit is removed from the barrier (BREAK). Entries
from the interpreter into the middle of a loop are further entries, and prevent the barrier.

A function that has such entries therefore becomes several C++ functions, its parts:

* The start part is entered at the function's start only. It has all blocks reachable from there.
* Each outermost loop is a part that is entered at the loop's head only.
* One more part has all other entries.

The last part continues in the part of a loop when control flow reaches the loop's head. The part of
a loop continues in the last part where the loop ends.

writer.py passes the blocks as C++, and emits one C++ function for each part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import frozen

from porter.compiler.strips import WrittenBlock

if TYPE_CHECKING:
    import networkx


@frozen
class FunctionPart:
    """A C++ function with some of a Python function's blocks.

    Control flow that leaves the blocks continues at an entry of another part.

    Attributes:
        name: Suffix of the C++ function's name.
        entries: Positions of the blocks at which it is entered.
        blocks: Positions of the blocks that it has.
    """

    name: str
    entries: tuple[int, ...]
    blocks: frozenset[int]


def whole(entries: Sequence[int], blocks: Iterable[int]) -> FunctionPart:
    """Return one part that has all blocks of a function."""
    return FunctionPart("", tuple(entries), frozenset(blocks))


def parts_of(
    entries: Sequence[int], heads: frozenset[int], blocks: Mapping[int, WrittenBlock]
) -> list[FunctionPart]:
    """Return the parts of a function.

    Args:
        entries: Positions at which the interpreter enters native code; 0 is the function's start.
        heads: Positions of loop heads.
        blocks: The function's blocks as C++, by position.
    """
    ways = _ways(blocks)
    loops = dict(_loops(ways, heads & frozenset(entries)))
    others = [at for at in entries if at and at not in loops]
    own = [FunctionPart(f"_{head}", (head,), inside) for head, inside in loops.items()]
    for part in own:
        ends = {to for at in part.blocks for to in ways[at]} - part.blocks - loops.keys()
        others += sorted(ends - set(others))
    if 0 in entries and 0 not in loops:
        own.insert(0, FunctionPart("_start", (0,), _reached(ways, [0], frozenset())))
    if others:
        reached = _reached(ways, others, frozenset(loops))
        own.append(FunctionPart("_within", tuple(others), reached))
    return own if len(own) > 1 else [whole(entries, blocks)]


def _ways(blocks: Mapping[int, WrittenBlock]) -> networkx.DiGraph[int]:
    import networkx  # slow to load, and most commands compile nothing

    ways: networkx.DiGraph[int] = networkx.DiGraph()
    ways.add_nodes_from(blocks)
    for at, block in blocks.items():
        ways.add_edges_from((at, to) for to in block.leads_to if to in blocks)
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
