"""Analyse control-flow graphs of functions: loops, post-dominators, issue order of blocks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from attrs import field, frozen

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
