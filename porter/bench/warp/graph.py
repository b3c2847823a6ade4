"""Flow graphs of functions: loops, where paths meet again, in which order blocks are best run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from attrs import field, frozen

Graph = Mapping[int, Sequence[int]]  # a node's successors; EXIT is behind the graph
EXIT = -1


@frozen(eq=False)
class FlowLoop:
    """A loop and those inside it; a whole function is one whose `head` is EXIT."""

    head: int
    nodes: frozenset[int] = field(repr=False)
    inner: tuple[FlowLoop, ...] = ()


def loops(graph: Graph, entry: int) -> FlowLoop:
    """The function's loops, nested. A node belongs to the innermost that has it."""
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
    """The graph of one round of `loop`: a new round is EXIT, and ways out of the loop are no ways.

    Compilers' convergence barriers are so: who leaves a loop early leaves its barriers.
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
    """The immediate post-dominator of each node from which there is a way to EXIT, which may be it.

    It is the first node that every way to EXIT comes to.
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
    """Of the walk from EXIT against the edges; EXIT is last."""
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
    """A number for each node: the lane with the least one goes first.

    What leaves a loop comes after the whole loop, and a loop's head after its other nodes, so that
    lanes wait there for each other in every round.
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
    """Strongly connected parts of `within`, in the order of flow, each with the node entered."""
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
