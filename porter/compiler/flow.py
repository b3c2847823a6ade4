"""Data flow analysis: infer which slots hold integers, floats or bools where a block begins.

The analysis is optimistic. A slot that is an integer on every back edge of a loop is an integer at
the loop's head. A value from outside the loop is checked once, where the loop is entered. If the
check fails, the interpreter runs the loop. Globals are treated alike: a global that is in a C++
variable on every back edge is in a C++ variable from the loop's head on.

construction.py calls `solve`, which runs translate.py to a fixed point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from attrs import define, evolve, field

from porter.compiler.graph import CodeBlock, Graph
from porter.compiler.liveness import Slot, live
from porter.compiler.representations import (
    DEAD,
    INT,
    MAX_SMALL,
    MEMORY,
    MIN_SMALL,
    OBJECT,
    SMALL,
    Known,
    Range,
    Shape,
)

Walk = Callable[[CodeBlock, Shape], Mapping[int, Shape]]
_ROUNDS = 50
_NARROWINGS = 2
_LOWS = (0, -1, -(1 << 31), MIN_SMALL)
_HIGHS = (0xFF, 0xFFFF, (1 << 31) - 1, (1 << 32) - 1, MAX_SMALL)
_PLAIN = Known(OBJECT, True, True)


def solve(graph: Graph, walk: Walk, without: Set[int] = frozenset()) -> dict[int, Shape]:
    """Return the shape at the start of each block, by position.

    Args:
        graph: The function's blocks.
        walk: Function from a block and its shape to the shapes at its successors, by position.
        without: Positions of blocks on whose incoming edges nothing is speculated.
    """
    return _Solver(graph, walk, without).run()


@define
class _Solver:
    graph: Graph
    walk: Walk
    without: Set[int]
    shapes: dict[int, Shape] = field(factory=dict)
    objects: set[tuple[int, int]] = field(factory=set)  # (block, slot) that stay objects
    unloaded: set[tuple[int, int]] = field(factory=set)  # (block, slot) that stay in the dict
    viewless: set[tuple[int, int]] = field(factory=set)  # (block, variable) without a view
    arriving: dict[tuple[int, int], Shape] = field(factory=dict)
    live: Mapping[int, frozenset[Slot]] = field(factory=dict)
    order: Mapping[int, int] = field(factory=dict)  # reverse postorder numbers by block
    rounds: int = 0
    widens: bool = True

    def run(self) -> dict[int, Shape]:
        self.live = live(self.graph)
        self.order = _order(self.graph)
        # Blocks reachable from the function's start come first. Otherwise the unknown values at
        # other entries would hide the representations that are known in these blocks.
        for entry in sorted(self.graph.entries):
            if entry not in self.shapes:
                self.shapes[entry] = _unknown(self.graph, entry)
                self._follow(entry)
        self.widens = False
        for _ in range(_NARROWINGS):
            for at in sorted(self.shapes):
                self._narrow(at)
        return self.shapes

    def _follow(self, entry: int) -> None:
        todo = {entry}
        while todo:
            at = min(todo, key=self.order.__getitem__)
            todo.remove(at)
            for to, shape in self.walk(self.graph.blocks[at], self.shapes[at]).items():
                self.arriving[at, to] = shape
                self.rounds += 1
                new = self._meet(to)
                if new != self.shapes.get(to):
                    self.shapes[to] = new
                    todo.add(to)

    def _narrow(self, at: int) -> None:
        """Narrow ranges that were widened too far; representations stay."""
        for to, shape in self.walk(self.graph.blocks[at], self.shapes[at]).items():
            self.arriving[at, to] = shape
            new = self._meet(to)
            if _kinds(new) == _kinds(self.shapes[to]) and new.views == self.shapes[to].views:
                self.shapes[to] = new

    def _meet(self, to: int) -> Shape:
        # A loop's test may lie behind its body, so positions do not tell back edges.
        place = self.order[to]
        came = [(self.order[at], s) for (at, into), s in self.arriving.items() if into == to]
        outer = [s for number, s in came if number < place]
        again = [s for number, s in came if number >= place]
        depth = self.graph.blocks[to].depth
        old = self.shapes.get(to)
        before = _flat(old) if old is not None else ()
        slots: list[Known | None] = []
        for number in range(depth + self.graph.variables + len(self.graph.names)):
            first, back = [_flat(s)[number] for s in outer], [_flat(s)[number] for s in again]
            was = before[number] if before else None
            new = self._slot((to, number), first, back, was)
            if before and was is not None and new is None:
                self.unloaded.add((to, number))
            slots.append(new)
        named = depth + self.graph.variables
        held = [known for known in slots[:named] if known is not None]
        shape = Shape(tuple(held[:depth]), tuple(held[depth:]), tuple(slots[named:]))
        return evolve(shape, views=self._views(to, shape, old, outer, again))

    def _views(
        self, to: int, shape: Shape, old: Shape | None, outer: list[Shape], again: list[Shape]
    ) -> tuple[bool, ...]:
        """Return the views at a block; a view at a loop's head is valid on every back edge."""
        found = []
        for at, holder in enumerate((*shape.locals, *shape.names)):
            every = again or outer
            kept = holder is not None and holder.kind == OBJECT and all(s.views[at] for s in every)
            if old is not None and old.views[at] and not kept:
                self.viewless.add((to, at))
            found.append(kept and (to, at) not in self.viewless)
        return tuple(found)

    def _slot(
        self,
        place: tuple[int, int],
        first: Sequence[Known | None],
        back: Sequence[Known | None],
        old: Known | None,
    ) -> Known | None:
        if None in back or (None in first and not back):
            return None
        dead = self._is_dead(place)
        if dead and place[1] < self._named(place[0]):
            return Known(DEAD)
        if place in self.unloaded or (None in first and place[0] in self.without):
            return None
        outer = [known or _PLAIN for known in first]
        again = [known for known in back if known is not None]
        every = [*outer, *again]
        kind = self._kind(place, {k.kind for k in outer}, {k.kind for k in again})
        if dead and None in first:
            kind = OBJECT
        if old is not None and old.kind not in (kind, OBJECT) and kind == OBJECT:
            self.objects.add(place)
        return Known(
            kind,
            all(known.clean for known in every),
            all(known.bound for known in every),
            self._range(kind, every, old, bool(back)),
        )

    def _named(self, at: int) -> int:
        """Return the index of the first slot of a global."""
        return self.graph.blocks[at].depth + self.graph.variables

    def _is_dead(self, place: tuple[int, int]) -> bool:
        at, number = place
        named = self._named(at)
        if number >= named:
            return (True, self.graph.names[number - named]) not in self.live[at]
        number -= self.graph.blocks[at].depth
        return number >= 0 and (False, number) not in self.live[at]

    def _kind(self, place: tuple[int, int], first: set[str], back: set[str]) -> str:
        first, back = first - {DEAD}, back - {DEAD}
        kinds = first | back
        if len(kinds) == 1:
            return kinds.pop()
        if MEMORY in kinds:
            return MEMORY
        if len(back) == 1 and OBJECT not in back and first <= back | {OBJECT}:
            tired = self.rounds > _ROUNDS * len(self.graph.blocks)
            if place not in self.objects and not tired and place[0] not in self.without:
                return next(iter(back))
        return OBJECT

    def _range(self, kind: str, every: Iterable[Known], old: Known | None, loop: bool) -> Range:
        if kind != INT or any(known.kind != INT for known in every):
            return SMALL
        low = min(known.range.low for known in every)
        high = max(known.range.high for known in every)
        if self.widens and loop and old is not None and old.kind == INT:
            if low < old.range.low:
                low = max(limit for limit in _LOWS if limit <= low)
            if high > old.range.high:
                high = min(limit for limit in _HIGHS if limit >= high)
            low, high = min(low, old.range.low), max(high, old.range.high)
        return Range(low, high)


def _order(graph: Graph) -> dict[int, int]:
    """Return reverse postorder numbers from the first entry on; back edges lead to lower ones."""
    import networkx  # slow to load, and most commands compile nothing

    ways: networkx.DiGraph[int] = networkx.DiGraph()
    ways.add_nodes_from(graph.blocks)
    for block in graph.blocks.values():
        ways.add_edges_from((block.at, to) for to in block.followers if to in graph.blocks)
    found: list[int] = []
    seen: set[int] = set()
    for start in (*sorted(graph.entries), *sorted(graph.blocks)):
        if start not in seen:
            part = [at for at in networkx.dfs_postorder_nodes(ways, start) if at not in seen]
            seen.update(part)
            found[:0] = part
    return {at: -number for number, at in enumerate(found)}


def _unknown(graph: Graph, at: int) -> Shape:
    # Slots of the stack are never unbound.
    stack = (_PLAIN,) * graph.blocks[at].depth
    variables, names = graph.variables, len(graph.names)
    views = (False,) * (variables + names)
    return Shape(stack, (Known(OBJECT),) * variables, (None,) * names, views)


def _flat(shape: Shape) -> tuple[Known | None, ...]:
    return (*shape.stack, *shape.locals, *shape.names)


def _kinds(shape: Shape) -> list[Known | None]:
    return [known and evolve(known, range=SMALL) for known in _flat(shape)]
