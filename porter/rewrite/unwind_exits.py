"""The exits by which an unwind leaves a function, and the cleanup code at each exit.

A call may raise if one of its possible targets may.

An exit is a call that may raise (rule `unwinding`), a poll (rule `polls`) or a refusal of the
sandbox (rule `sandbox`). The three rules get the exit code from `exits_of`: it undoes pending
changes (`change_pairs.py`), then jumps to a landing of the function or returns.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from weakref import WeakKeyDictionary

from porter.rewrite.change_pairs import CLOSER, Exit, PairFinder, Separated
from porter.rewrite.edit import Part
from porter.rewrite.facts import never_returning
from porter.rewrite.landings import Landing, covering, find_landings, step_to
from porter.rewrite.loops import Loop, continues, loops_of
from porter.rewrite.poll_sites import POINTER, Poll
from porter.rewrite.program import WholeProgram
from porter.rewrite.queries import (
    body,
    callee,
    calls_pointer,
    evaluated,
    is_setjmp,
    leaving,
    symbol_key,
)
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind, Unit


class Raising:
    """The predicate of one unit's calls: may an unwind leave the call."""

    def __init__(self, unit: Unit, program: WholeProgram) -> None:
        self.unit = unit
        self.program = program

    @cached_property
    def _never(self) -> dict[str, None]:
        return never_returning(self.unit)

    def may_raise(self, call: Node) -> bool:
        """Return whether a call may unwind: it is indirect, or its callee may raise."""
        key = self._key(call)
        return calls_pointer(call) if key is None else key in self.program.raising

    def never_returns(self, call: Node) -> bool:
        """Return whether the callee never returns."""
        return self._key(call) in self._never

    def _key(self, call: Node) -> str | None:
        """Return the key of the called function, or None for an indirect call."""
        target = callee(call)
        if target is None or target.referenced is None or is_setjmp(call):
            return None if target is None else "setjmp"
        return symbol_key(self.unit.name, target.referenced)


_REFUSED = (K.CSTYLE_CAST_EXPR, K.CALL_EXPR)  # where the rule `sandbox` checks


class Exits:
    """The exits of one function with a body, in the context of one program."""

    def __init__(self, function: Node, program: WholeProgram) -> None:
        self.function = function
        self.program = program
        self.raising = Raising(function.unit, program)
        block = body(function)
        assert block is not None
        self.block = block
        self.key = symbol_key(function.unit.name, function.cursor)

    @cached_property
    def landings(self) -> list[Landing]:
        """Return the landings of the function."""
        return find_landings(self.block)

    @cached_property
    def pairs(self) -> list[Separated]:
        """The pairs of changes that one of the exits can separate, in source order."""
        finder = PairFinder(self.function, self.program.effects, self.raising.never_returns)
        return list(finder.separated(list(self._all())))

    def is_restored(self, pair: Separated) -> bool:
        """Return whether every exit that separates a pair undoes its first change."""
        at_start = self.program.guarded | self.program.refused.loaders
        return pair.is_restored and not (pair.kind == CLOSER and self.key in at_start)

    def steps(self, landings: list[Landing], place: Node, behind: bool = False) -> list[Part]:
        """Return the statements by which an unwind leaves the function at a node.

        They undo the pending changes of the function, the last change first, and end with a
        return. A jump to a landing undoes only the changes made after the landing's setjmp; code
        after the landing undoes the others.

        Args:
            landings: The landings that cover the place, in the order in which they are tested.
            place: The node.
            behind: Whether the exit is at the end of the node, which is then a loop's body.
        """
        found = [
            (pair, node)
            for pair in reversed(self.pairs)
            if (node := pair.restores(Exit(place, behind))) is not None
        ]
        steps: list[Part] = []
        for landing in landings:
            steps += step_to(
                landing, [node for pair, node in found if not pair.is_open_at(landing.call)]
            )
        restoring: list[Part] = [part for _, node in found for part in (node.span, "; ")]
        return [*steps, *restoring, leaving(self.function)]

    def covering(self, place: Node) -> list[Landing]:
        """Return the landings that cover a node, the most recently executed setjmp first."""
        return covering(self.landings, place.span)

    def _all(self) -> Iterator[Exit]:
        places = self.program.refused.places.get(self.function.unit.name, ())
        for node in self.block.walk(evaluated):
            raises = node.kind == K.CALL_EXPR and self.raising.may_raise(node)
            if raises or (node.kind in _REFUSED and (node.start, node.end) in places):
                yield Exit(node)
        polled = self.program.polls.get(self.key)
        if not polled:
            return
        for number, loop in enumerate(loops_of(self.block)):
            poll = polled.get(number)
            if poll is None:
                continue
            calls = polled_calls(loop, poll)
            yield from map(Exit, calls or back_edges(loop))
            if loop.body is not None and not calls:
                yield Exit(loop.body, True)


def polled_calls(loop: Loop, poll: Poll) -> list[Node]:
    """Return the calls before which a loop polls; empty if it polls at its back edges."""
    found = []
    for node in loop.nodes():
        if poll.before and node.kind == K.CALL_EXPR:
            target = callee(node)
            key = POINTER if calls_pointer(node) else ""
            if target is not None:
                key = symbol_key(node.unit.name, target.referenced)
            if key in poll.before:
                found.append(node)
    is_plain = all(call.canonical.kind != TypeKind.RECORD for call in found)
    return found if is_plain else []


def back_edges(loop: Loop) -> list[Node]:
    """Return the explicit back edges of a loop: its `continue` statements, or the goto."""
    return [loop.node] if loop.body is None else list(continues(loop.body))


_known: WeakKeyDictionary[Unit, tuple[WholeProgram, dict[Node, Exits]]] = WeakKeyDictionary()


def exits_of(function: Node, program: WholeProgram) -> Exits:
    """Return the exits of a function, from a cache that several rules share."""
    known = _known.get(function.unit)
    if known is None or known[0] is not program:
        known = (program, {})
        _known[function.unit] = known
    if function not in known[1]:
        known[1][function] = Exits(function, program)
    return known[1][function]
