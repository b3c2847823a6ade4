"""Which entries of a function share a C++ function: loops are entered at one place alone.

Lanes of a GPU's warp that leave a loop in different turns meet behind it if the compiler finds one
way in: it sets a convergence barrier before the loop then (BSSY and BSYNC of its machine code), and
takes out of that whoever leaves by another way, to the interpreter (BREAK). Entries within loops
are further ways in. So a function that has such is several in C++: one is entered at the function's
start alone and has all that follows; each outermost loop is one that is entered at its head alone;
and one has all other entries. That one goes over to a loop's own where its way leads to the head of
the loop, for the next turn, and a loop's own leads back where the loop ends.
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
    """A C++ function. entries: blocks where it is entered; blocks: that it has. Ways lead on from
    these to others, which are entries of other parts."""

    name: str
    entries: tuple[int, ...]
    blocks: frozenset[int]


def whole(entries: Sequence[int], blocks: Iterable[int]) -> FunctionPart:
    """All of a function in one."""
    return FunctionPart("", tuple(entries), frozenset(blocks))


def parts_of(
    entries: Sequence[int], heads: frozenset[int], blocks: Mapping[int, WrittenBlock]
) -> list[FunctionPart]:
    """The parts of a function. entries: where the interpreter hands over, 0: at the function's
    start. heads: of loops."""
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
    """The outermost loops by a head at which they can be entered alone."""
    import networkx  # slow to load, and most commands compile nothing

    for inside in networkx.strongly_connected_components(ways):
        if len(inside) == 1 and not any(ways.has_edge(at, at) for at in inside):
            continue
        loop = ways.subgraph(inside)
        # The outermost loop's head stands first; a `while` may have several.
        head = next((at for at in sorted(heads & inside) if has_one_way_in(loop, at)), None)
        if head is not None:
            yield head, frozenset(inside)


def has_one_way_in(ways: networkx.DiGraph[int], entry: int) -> bool:
    """Whether each loop is entered at one block alone, if all is entered at `entry`: each way back
    leads to a block through which every way to its start leads."""
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
    """The blocks to which ways lead from `entries`, none through `ends`."""
    found: set[int] = set()
    todo = list(entries)
    while todo:
        at = todo.pop()
        if at not in found and at not in ends:
            found.add(at)
            todo += ways[at]
    return frozenset(found)
