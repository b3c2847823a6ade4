"""Compute the reconvergence point of each block from the paths that recorded interpreters took."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from attrs import frozen

from porter_dev.bench.warp.control_flow import (
    EXIT,
    FlowLoop,
    WarpCode,
    loops,
    one_round,
    postdominators,
    ranks,
)

RETURNED, NOWHERE = -1, -2  # lanes.h


@frozen
class Meeting:
    """Reconvergence points and loops as arrays, as simulator.cpp reads them.

    A function counts as the outermost loop.

    Attributes:
        rank: By block, its number in issue order (`graph.ranks`).
        loop: By block, the innermost loop.
        begin: By block, the index in `meets` of its first entry. The block has one entry for its
            innermost loop, the next one for the loop around it, and so on.
        meets: The block where lanes that diverge in this block reconverge if they stay in this
            loop; RETURNED for the return to the caller, or NOWHERE.
        head: By loop, the reconvergence point at the end of an iteration; see `meets`.
        outer: By loop, the loop around it; -1 for a function.
        last: By loop, the largest number of a loop inside it; those from its own number to this one
            are inside.
    """

    rank: np.ndarray
    loop: np.ndarray
    begin: np.ndarray
    meets: np.ndarray
    head: np.ndarray
    outer: np.ndarray
    last: np.ndarray


class _Making:
    def __init__(self, code: WarpCode, dispatching: frozenset[int]) -> None:
        n = len(code.place)
        self.code = code
        self.dispatching = dispatching
        self.rank = np.zeros(n, np.int32)
        self.loop = np.full(n, -1, np.int32)
        self.chains: dict[int, list[int]] = {}
        self.head: list[int] = []
        self.outer: list[int] = []
        self.last: list[int] = []

    def function(self, graph: dict[int, list[int]], entry: int) -> None:
        inside = {node: [to for to in ways if to != EXIT] for node, ways in graph.items()}
        for node, rank in ranks(inside, entry).items():
            self.rank[node] = rank
        self.nest(graph, loops(inside, entry), -1)

    def nest(self, graph: dict[int, list[int]], loop: FlowLoop, outer: int) -> None:
        number = len(self.head)
        function = loop.head == EXIT
        # Compilers place no barriers for iterations of the VM's loops, which have many exits.
        dispatches = not function and bool(self.dispatching & loop.nodes)
        at_end = RETURNED if function else NOWHERE if dispatches else loop.head
        self.head.append(at_end)
        self.outer.append(outer)
        self.last.append(number)
        for inner in loop.inner:
            self.nest(graph, inner, number)
        self.last[number] = len(self.head) - 1
        least = postdominators(one_round(graph, loop))
        for node in self.own(loop):
            self.loop[node] = number
        for node in loop.nodes:
            within = next((inner.nodes for inner in loop.inner if node in inner.nodes), frozenset())
            at = least.get(node)
            while at in within:
                at = least[at]
            met = NOWHERE if at is None else at_end if at == EXIT else at
            if dispatches and within:
                met = NOWHERE
            self.chains.setdefault(node, []).append(met)

    @staticmethod
    def own(loop: FlowLoop) -> frozenset[int]:
        return loop.nodes.difference(*(inner.nodes for inner in loop.inner))

    def done(self) -> Meeting:
        n = len(self.rank)
        begin = np.zeros(n, np.uint32)
        meets: list[int] = []
        for node, chain in self.chains.items():
            begin[node] = len(meets)
            meets += chain
        return Meeting(
            rank=self.rank,
            loop=self.loop,
            begin=begin,
            meets=np.array(meets, np.int32),
            head=np.array(self.head, np.int32),
            outer=np.array(self.outer, np.int32),
            last=np.array(self.last, np.int32),
        )


def meeting(code: WarpCode, edges: np.ndarray, dispatching: frozenset[int]) -> Meeting:
    """Compute the reconvergence points of all functions.

    Args:
        code: Blocks of the library.
        edges: int32 rows of two blocks that followed each other in one activation. A first block
            of -1 stands for the call, a second block of -1 for the return.
        dispatching: Blocks in which upstream's switch was reached. Loops that contain one of them
            are the VM's.
    """
    graphs: defaultdict[int, dict[int, list[int]]] = defaultdict(dict)
    entries: dict[int, int] = {}
    for one, other in edges.tolist():
        function = int(code.function[other if one < 0 else one])
        if one < 0:
            entries.setdefault(function, other)
            graphs[function].setdefault(other, [])
        else:
            graphs[function].setdefault(one, []).append(EXIT if other < 0 else other)
            if other >= 0:
                graphs[function].setdefault(other, [])
    making = _Making(code, dispatching)
    for function, graph in sorted(graphs.items()):
        entry = entries.get(function, min(graph))
        making.function(graph, entry)
    return making.done()
