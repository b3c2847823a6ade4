"""Collect the facts of a function's loops from which `poll_sites.py` decides which loops poll."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import field, frozen

from porter.rewrite.loop_bounds import (
    Bound,
    Takers,
    addressed,
    belongs,
    bound_of,
    is_encoding,
    is_repaid,
)
from porter.rewrite.loops import Loop, loops_of, surely
from porter.rewrite.queries import callee, calls_pointer, evaluated, is_setjmp, symbol_key
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, Unit

BUDGET = "gpusnek_poll_budget"  # the port's variable: iterations left until the next look


@frozen
class LoopFact:
    """The facts of one loop.

    Attributes:
        number: The loop's index in its function, in source order.
        bound: The value of its `Bound`.
        nested: Whether it contains a loop that no constant bounds.
        draws: Whether it names the poll budget itself.
        indirect: Whether an iteration may call through a pointer.
        jump: Whether it is a goto back to a label.
        calls: The functions that an iteration may call by name.
        sure: The functions that every iteration calls.
        surely_indirect: Whether every iteration calls through a pointer.
        around: The numbers of the enclosing loops.
        brief: Whether a call of the function runs few iterations in most cases: a condition, other
            than an earlier return, decides whether it runs the loop, or the loop reads one item of
            a variable number of bytes.
    """

    number: int
    bound: str
    nested: bool
    draws: bool
    indirect: bool
    jump: bool
    calls: tuple[str, ...] = field(factory=tuple)
    sure: tuple[str, ...] = field(factory=tuple)
    surely_indirect: bool = False
    around: tuple[int, ...] = field(factory=tuple)
    brief: bool = False


@frozen
class Polling:
    """The facts of a function's body that concern polling.

    Attributes:
        loops: The loops, in source order.
        sure: The functions that every call of this function calls.
        passes: The functions whose address it takes.
        draws: Whether it names the poll budget.
        catches: Whether it calls setjmp.
    """

    loops: tuple[LoopFact, ...] = field(factory=tuple)
    sure: tuple[str, ...] = field(factory=tuple)
    passes: tuple[str, ...] = field(factory=tuple)
    draws: bool = False
    catches: bool = False


def declares_budget(unit: Unit) -> bool:
    """Return whether a unit declares the budget; other units are not part of the interpreter."""
    return any(node.kind == K.VAR_DECL and node.spelling == BUDGET for node in unit.declarations)


def polling_of(unit: Unit, block: Node, takers: Takers) -> Polling:
    """Return the facts of a function's body."""
    taken = addressed(block)
    loops = loops_of(block)
    bounds = [bound_of(loop, taken, takers) for loop in loops]
    nodes = list(block.walk(evaluated))
    sure = {(node.start, node.end) for node in surely(block)}
    return Polling(
        tuple(_fact(unit, loops, bounds, taken, sure, at) for at in range(len(loops))),
        tuple(_called(unit, _before_leaving(block))),
        tuple(_passed(unit, nodes)),
        any(_names_budget(node) for node in nodes),
        any(node.kind == K.CALL_EXPR and is_setjmp(node) for node in nodes),
    )


def _fact(
    unit: Unit,
    loops: list[Loop],
    bounds: list[Bound],
    taken: frozenset[int],
    sure: set[tuple[int, int]],
    at: int,
) -> LoopFact:
    """Return the facts of loop `at`; `sure`: the places of nodes that no condition skips."""
    loop = loops[at]
    nodes = list(loop.nodes())
    ranges = {(node.start, node.end) for node in nodes}
    nested = any(
        bounds[other] is not Bound.CONSTANT
        for other, inner in enumerate(loops)
        if inner.node is not loop.node
        and (inner.node.start, inner.node.end) in ranges
        and loop.region.holds(inner.region)
        and not (bounds[other] is Bound.MEMORY and belongs(inner, loop, taken))
        and not is_repaid(inner, loop, taken)
    )
    return LoopFact(
        at,
        bounds[at].value,
        nested,
        any(_names_budget(node) for part in loop.inside for node in part.walk()),
        any(node.kind == K.CALL_EXPR and calls_pointer(node) for node in nodes),
        loop.body is None,
        tuple(_called(unit, nodes)),
        tuple(_called(unit, loop.every_turn())),
        any(node.kind == K.CALL_EXPR and calls_pointer(node) for node in loop.every_turn()),
        tuple(
            other
            for other, outer in enumerate(loops)
            if other != at and outer.region.holds(loop.region)
        ),
        (loop.node.start, loop.node.end) not in sure or is_encoding(loop),
    )


def _before_leaving(block: Node) -> Iterator[Node]:
    """Yield the nodes that every call of a function evaluates."""
    for statement in block.children:
        yield from surely(statement)
        if any(node.kind in (K.RETURN_STMT, K.GOTO_STMT) for node in statement.walk()):
            return


def _called(unit: Unit, nodes: Iterable[Node]) -> dict[str, None]:
    targets = (callee(node) for node in nodes if node.kind == K.CALL_EXPR)
    return {
        symbol_key(unit.name, target.referenced): None for target in targets if target is not None
    }


def _passed(unit: Unit, nodes: list[Node]) -> dict[str, None]:
    """Return the functions whose address some nodes take."""
    called = {
        target.start
        for node in nodes
        if node.kind == K.CALL_EXPR and (target := callee(node)) is not None
    }
    return {
        symbol_key(unit.name, node.referenced): None
        for node in nodes
        if node.kind == K.DECL_REF_EXPR
        and node.start not in called
        and node.referenced is not None
        and node.referenced.kind == K.FUNCTION_DECL
    }


def _names_budget(node: Node) -> bool:
    return node.kind == K.DECL_REF_EXPR and node.spelling == BUDGET
