"""Control-flow graphs of a traced library: basic blocks, loops, post-dominators, issue order.

The basic blocks come from objdump's disassembly.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import define, field, frozen

from porter.base.process import run
from porter.errors import BenchFailed

_HOOK = "__sanitizer_cov_trace_pc"
_FUNCTION = re.compile(r"^([0-9a-f]+) <([^>]+)>:$")
_CALL = re.compile(r"^call +([0-9a-f]+) <([^>]+)>")


@define
class Listing:
    """The disassembly of one function: address and text of each instruction."""

    name: str
    start: int
    rows: list[tuple[int, str]] = field(factory=list)


@frozen
class WarpCode:
    """The blocks that report to the trace, by rising address, as arrays with one item per block.

    Attributes:
        place: Address of the block's report, its identifier in the trace.
        weight: Instructions from the block's report to the next one.
        function: Index of the block's function in `names`.
        entry: Whether the block is its function's entry.
        alone: Whether its function calls itself directly.
        names: Names of the functions.
    """

    place: np.ndarray
    weight: np.ndarray
    function: np.ndarray
    entry: np.ndarray
    alone: np.ndarray
    names: tuple[str, ...]

    def numbers(self) -> np.ndarray:
        """Return the table from a block's identifier to its index; 2**32 - 1 for other values."""
        table = np.full(int(self.place[-1]) + 1, np.uint32(0xFFFFFFFF), np.uint32)
        table[self.place] = np.arange(len(self.place), dtype=np.uint32)
        return table


def read_code(library: Path) -> WarpCode:
    """Read `library`, a host twin of the variant `traced`. Raises ToolMissing, BenchFailed."""
    text = run(["objdump", "-d", "--no-show-raw-insn", library], timeout=300).stdout
    return code_of(listings(text))


def listings(text: str) -> list[Listing]:
    """Parse the functions of objdump's disassembly."""
    found: list[Listing] = []
    for line in text.splitlines():
        if head := _FUNCTION.match(line):
            found.append(Listing(head[2], int(head[1], 16)))
            continue
        address, tab, instruction = line.partition(":\t")
        if tab and found:
            found[-1].rows.append((int(address, 16), instruction))
    return found


def code_of(functions: list[Listing]) -> WarpCode:
    """Collect the blocks that report to the trace. Raises BenchFailed without any."""
    rows: list[tuple[int, int, int, int]] = []
    names: list[str] = []
    alone: list[bool] = []
    for listing in functions:
        first = len(rows)
        itself = False
        for i, (_, instruction) in enumerate(listing.rows):
            call = _CALL.match(instruction)
            if call and call[2].startswith(_HOOK) and i + 1 < len(listing.rows):
                rows.append((listing.rows[i + 1][0], 0, len(names), int(len(rows) == first)))
            elif len(rows) > first:
                place, weight, function, entry = rows[-1]
                rows[-1] = (place, weight + 1, function, entry)
            itself |= call is not None and int(call[1], 16) == listing.start
        if len(rows) > first:
            names.append(listing.name)
            alone.append(itself)
    if not rows:
        raise BenchFailed("the library reports no blocks: it is not of the variant `traced`")
    table = np.array(sorted(rows), np.int64)
    return WarpCode(
        place=table[:, 0].astype(np.uint32),
        weight=np.maximum(table[:, 1], 1).astype(np.uint32),
        function=table[:, 2].astype(np.int32),
        entry=table[:, 3].astype(np.uint8),
        alone=np.array(alone, np.uint8)[table[:, 2]],
        names=tuple(names),
    )


Graph = Mapping[int, Sequence[int]]  # a node's successors; EXIT is the virtual end node
EXIT = -1


@frozen(eq=False)
class FlowLoop:
    """A loop with the loops inside it. A whole function is a loop whose `head` is EXIT."""

    head: int
    nodes: frozenset[int] = field(repr=False)
    inner: tuple[FlowLoop, ...] = ()


def loops(graph: Graph, entry: int) -> FlowLoop:
    """Return the nested loops of a function. A node belongs to the innermost loop that has it."""
    return FlowLoop(EXIT, frozenset(graph), _inside(graph, [*graph], entry))


def _inside(graph: Graph, nodes: Sequence[int], first: int) -> tuple[FlowLoop, ...]:
    found = []
    for part, head in components(graph, set(nodes), first):
        if len(part) > 1 or head in graph[head]:
            rest = [node for node in part if node != head]
            onward = [node for node in graph[head] if node in set(rest)]
            inner = _inside(graph, rest, onward[0]) if onward else ()
            found.append(FlowLoop(head, frozenset(part), inner))
    return tuple(found)


def one_round(graph: Graph, loop: FlowLoop) -> dict[int, list[int]]:
    """Return the graph of one iteration of `loop`: the back edge leads to EXIT, exits are removed.

    Compilers' convergence barriers follow this graph: a lane that leaves a loop early also leaves
    the barriers of that loop.
    """
    return {
        node: [
            EXIT if target in (loop.head, EXIT) else target
            for target in graph[node]
            if target in loop.nodes or (target == EXIT and loop.head == EXIT)
        ]
        for node in loop.nodes
    }


def postdominators(graph: Graph) -> dict[int, int]:
    """Return the immediate post-dominator of each node that can reach EXIT; it may be EXIT.

    The immediate post-dominator is the first node that all paths to EXIT share.
    """
    order = _postorder(graph)
    number = {node: i for i, node in enumerate(order)}
    least = {EXIT: EXIT}
    changed = True
    while changed:
        changed = False
        for node in reversed(order[:-1]):
            ways = [target for target in graph[node] if target in least]
            meeting = ways[0]
            for way in ways[1:]:
                while meeting != way:
                    if number[meeting] < number[way]:
                        meeting = least[meeting]
                    else:
                        way = least[way]
            if least.get(node) != meeting:
                least[node] = meeting
                changed = True
    del least[EXIT]
    return least


def _postorder(graph: Graph) -> list[int]:
    """Return the postorder of the reversed graph, from EXIT; EXIT is last."""
    back: dict[int, list[int]] = {EXIT: []}
    for node, targets in graph.items():
        for target in targets:
            back.setdefault(target, []).append(node)
    order: list[int] = []
    seen = {EXIT}
    stack = [(EXIT, iter(back[EXIT]))]
    while stack:
        node, rest = stack[-1]
        for follower in rest:
            if follower not in seen:
                seen.add(follower)
                stack.append((follower, iter(back.get(follower, []))))
                break
        else:
            stack.pop()
            order.append(node)
    return order


def ranks(graph: Graph, entry: int) -> dict[int, int]:
    """Return a number for each node: the simulator issues the lanes with the smallest one first.

    Nodes after a loop have larger numbers than the loop. A loop's head has a larger number than the
    rest of the loop, so that lanes wait for each other there in every iteration.
    """
    order: list[int] = []
    _rank(graph, [*graph], entry, order)
    return {node: i for i, node in enumerate(order)}


def _rank(graph: Graph, nodes: Collection[int], first: int, order: list[int]) -> None:
    for part, head in components(graph, set(nodes), first):
        rest = [node for node in part if node != head]
        onward = [node for node in graph[head] if node in set(rest)]
        if rest:
            _rank(graph, rest, onward[0] if onward else rest[0], order)
        order.append(head)


def components(graph: Graph, within: Collection[int], first: int) -> list[tuple[list[int], int]]:
    """Return the strongly connected components of `within`, in flow order, with their entries."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    found: list[tuple[list[int], int]] = []
    for root in (first, *sorted(within)):
        if root in index:
            continue
        work: list[tuple[int, int]] = [(root, 0)]
        while work:
            node, at = work.pop()
            if at == 0:
                index[node] = low[node] = len(index)
                path.append(node)
                on_path.add(node)
            targets = graph[node]
            while at < len(targets):
                target = targets[at]
                at += 1
                if target not in within:
                    continue
                if target not in index:
                    work += [(node, at), (target, 0)]
                    break
                if target in on_path:
                    low[node] = min(low[node], index[target])
            else:
                if low[node] == index[node]:
                    cut = path.index(node)
                    found.append((path[cut:], node))
                    on_path.difference_update(path[cut:])
                    del path[cut:]
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
    return found[::-1]
