"""Kinds of values by data flow: which slots hold integers, floats, truths where a block begins.

Optimistic: a slot that is an integer each time a loop comes round is one at the loop's head too;
what comes in from outside is looked at once, where the loop is entered, and what it is not leaves
the loop to the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from porter.compiler.graph import Block, Graph
from porter.compiler.values import MEMORY, OBJECT, Known, Shape

Walk = Callable[[Block, Shape], Mapping[int, Shape]]
_ROUNDS = 50


def solve(graph: Graph, walk: Walk) -> dict[int, Shape]:
    """The shape at each block. `walk` says what a block makes of one, by follower."""
    shapes: dict[int, Shape] = {}
    pinned: set[tuple[int, int]] = set()  # (block, slot) that stay objects
    arriving: dict[tuple[int, int], Shape] = {}
    rounds = 0
    # What the function's start leads to first, so that what the interpreter may bring elsewhere
    # does not hide what values are there.
    for entry in sorted(graph.entries):
        if entry in shapes:
            continue
        shapes[entry] = _unknown(graph, entry)
        todo = [entry]
        while todo:
            at = todo.pop(0)
            for to, shape in walk(graph.blocks[at], shapes[at]).items():
                arriving[at, to] = shape
                rounds += 1
                tired = rounds > _ROUNDS * len(graph.blocks)
                new = _meet(graph, to, arriving, shapes.get(to), pinned, tired)
                if new != shapes.get(to):
                    shapes[to] = new
                    todo = sorted({*todo, to})
    return shapes


def _unknown(graph: Graph, at: int) -> Shape:
    block = graph.blocks[at]
    # The stack holds no variable without a value.
    stack = (Known(OBJECT, bound=True),) * block.depth
    return Shape(stack, (Known(OBJECT),) * graph.variables)


def _meet(
    graph: Graph,
    to: int,
    arriving: Mapping[tuple[int, int], Shape],
    old: Shape | None,
    pinned: set[tuple[int, int]],
    tired: bool,
) -> Shape:
    outer = [shape for (at, into), shape in arriving.items() if into == to and at < to]
    again = [shape for (at, into), shape in arriving.items() if into == to and at >= to]
    depth = graph.blocks[to].depth
    slots: list[Known] = []
    for number in range(depth + graph.variables):
        first = {_of(shape, number).kind for shape in outer}
        back = {_of(shape, number).kind for shape in again}
        every = [_of(shape, number) for shape in (*outer, *again)]
        kinds = first | back
        if len(kinds) == 1:
            kind = kinds.pop()
        elif MEMORY in kinds:
            kind = MEMORY
        elif len(back) == 1 and OBJECT not in back and first <= back | {OBJECT}:
            kind = OBJECT if (to, number) in pinned or tired else next(iter(back))
        else:
            kind = OBJECT
        if old is not None and _of(old, number).kind not in (kind, OBJECT) and kind == OBJECT:
            pinned.add((to, number))
        clean = all(known.clean for known in every)
        slots.append(Known(kind, clean, all(known.bound for known in every)))
    return Shape(tuple(slots[:depth]), tuple(slots[depth:]))


def _of(shape: Shape, number: int) -> Known:
    depth = len(shape.stack)
    return shape.stack[number] if number < depth else shape.locals[number - depth]
