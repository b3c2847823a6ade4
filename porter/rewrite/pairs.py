"""Pairs of changes that an early exit can separate, and what takes the first one back.

An unwind leaves a function at any exit (`porter.rewrite.exits`). Between a change and the change
that takes it back (lock and unlock, enter and leave, a depth that is counted up and down, a value
that is saved and restored) it would leave the change for good. `PairFinder` finds these pairs in
a function by what they write, not by names. What leads out of an exit runs the second change
first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import frozen

from porter.rewrite.changes import (
    ADD,
    AND,
    CALL,
    SET,
    FunctionChanges,
    Placed,
    StateStep,
    is_static,
)
from porter.rewrite.effects import MIXED, Effects, is_undone
from porter.rewrite.openness import CLOSED, OPEN, Openness
from porter.rewrite.queries import evaluated, strip
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node

COUNT, BITS, HELPERS, SAVED, FLAG, CLOSER = "count", "bits", "helpers", "saved", "flag", "closer"
_HOLDERS = (K.VAR_DECL, K.RETURN_STMT, K.DECL_STMT)
_SCOPES = (K.COMPOUND_STMT, K.FOR_STMT, K.FUNCTION_DECL)


@frozen(eq=False)
class StateChange:
    """A write of a function: by itself, or by a call of a helper.

    Attributes:
        step: What is written.
        node: The assignment, the increment or the call.
        helper: The key of the function that is called, or nothing.
        value: The text of the value that is written, or of the argument that a helper writes.
        source: Of a value that is written: the path that it was read from before, or nothing.
    """

    step: StateStep
    node: Node
    helper: str
    value: str
    source: str


@frozen
class Exit:
    """A node at which an unwind may leave: a call, a cast, a jump; `behind`: a loop's body."""

    node: Node
    behind: bool = False

    @property
    def offset(self) -> int:
        """Where the exit stands in the text."""
        return self.node.end if self.behind else self.node.start


@frozen(eq=False)
class Separated:
    """A pair of a function, and the states at its exits.

    Attributes:
        path: What the pair changes.
        kind: `count`, `bits`, `helpers` (two helpers that open and close), `saved` (a value that
            was read before is written back), `flag` (two constants), or `closer` (the function
            takes back what its caller changed).
        first: The first change; of a `closer` the change itself.
        exits: The exits at which the change may be made and not taken back.
        restoring: The statements that take the change back; the first one whose names are known at
            an exit serves there.
        openness: The interpretation of the function for this pair.
    """

    path: str
    kind: str
    first: Node
    exits: tuple[Exit, ...]
    restoring: tuple[Node, ...]
    openness: Openness

    @property
    def is_restored(self) -> bool:
        """Return whether the change is taken back at all of these exits."""
        return all(self.restores(place) is not None for place in self.exits)

    def restores(self, place: Exit) -> Node | None:
        """The statement that takes the change back if an unwind leaves at an exit, or None.

        There is none of a flag: which of its two values is the safe one, its writes do not tell.
        """
        if self.kind == FLAG or place not in self.exits:
            return None
        if self.openness.states(place.node, place.behind) != OPEN:
            return None
        return next((node for node in self.restoring if _is_known_at(node, place)), None)

    def is_open_at(self, landing: Node) -> bool:
        """Whether the change is made where a setjmp is called: what follows takes it back."""
        return self.openness.states(landing, False) == OPEN


class PairFinder:
    """Finds the pairs of one function that its exits can separate."""

    def __init__(self, function: Node, effects: Effects, never: Callable[[Node], bool]) -> None:
        self.changes = FunctionChanges(function)
        self._effects = effects
        self._never = never

    def separated(self, exits: list[Exit]) -> Iterator[Separated]:
        """Return the pairs that one of these exits separates, in the order of the text."""
        if not exits:
            return
        by_path: dict[str, list[StateChange]] = {}
        for placed in self.changes.steps:
            for change in self._changes(placed):
                by_path.setdefault(change.step.path, []).append(change)
        for path, changes in by_path.items():
            yield from self._of_path(path, changes, exits)

    def _changes(self, placed: Placed) -> Iterator[StateChange]:
        step = placed.step
        if step.how != CALL:
            yield StateChange(step, placed.node, "", step.value, self._source(step.value))
            return
        for left in self._effects.changes.get(step.path, ()):
            argument = self._argument(placed.node, left)
            value = left.value if argument is None else strip(argument).text
            source = "" if argument is None else self._source(self.changes.path(argument))
            yield StateChange(left, placed.node, step.path, value, source)

    def _argument(self, call: Node, step: StateStep) -> Node | None:
        """The argument of a helper that stores it, or None."""
        if not step.value.startswith("p:"):
            return None
        number = int(step.value[2:])
        arguments = call.children[1:]
        return arguments[number] if number < len(arguments) else None

    def _source(self, value: str) -> str:
        """The path that a value was read from, of a local that keeps it or a field that does."""
        for source in self.changes.saved.get(value, ()):
            path = self._effects.read_from(source)
            if path:
                return path
        name = value.rpartition(".")[2]
        found = self._effects.keepers.get(name, ()) if "->" in value else ()
        return found[0] if len(found) == 1 else ""

    def _of_path(
        self, path: str, changes: list[StateChange], exits: list[Exit]
    ) -> Iterator[Separated]:
        seen: list[tuple[str, StateStep]] = []
        for one, other, kind in _matching(path, changes):
            if (kind, one.step) in seen:
                continue
            seen.append((kind, one.step))
            counted = kind in (COUNT, BITS)
            closing = [change for change in changes if _is_alike(change, other, counted)]
            opening = [
                change
                for change in changes
                if change not in closing and (not counted or change.step == one.step)
            ]
            found = self._follow(path, kind, opening, closing, exits)
            if found is not None:
                yield found
        if len(changes) == 1 and is_static(path) and changes[0].step.how == AND:
            found = self._follow(path, CLOSER, [], changes, exits)
            if found is not None:
                yield found

    def _follow(
        self,
        path: str,
        kind: str,
        opening: list[StateChange],
        closing: list[StateChange],
        exits: list[Exit],
    ) -> Separated | None:
        openness = Openness(
            {change.node for change in opening},
            {change.node for change in closing},
            {place.node for place in exits if self._ends(place)},
        )
        openness.follow(self.changes.block, CLOSED if opening else OPEN)
        helpers = {change.node for change in (*opening, *closing) if change.helper}
        last = max(change.node.end for change in closing)
        separating = [
            place
            for place in exits
            if place.offset < last
            and place.node not in helpers
            and True in openness.states(place.node, place.behind)
        ]
        if not separating:
            return None
        leaving = {place.node for place in exits if not place.behind}
        plain = [
            change.node
            for change in closing
            if _is_statement(change.node) and leaving.isdisjoint(change.node.walk(evaluated))
        ]
        first = (opening or closing)[0].node
        return Separated(path, kind, first, tuple(separating), tuple(plain), openness)

    def _ends(self, place: Exit) -> bool:
        return place.node.kind == K.CALL_EXPR and self._never(place.node)


def _matching(
    path: str, changes: list[StateChange]
) -> Iterator[tuple[StateChange, StateChange, str]]:
    """The changes of a path with the one that takes each back, which may stand around others."""
    for number, one in enumerate(changes):
        for other in changes[number + 1 :]:
            kind = _kind(path, one, other)
            if kind and (kind in (COUNT, BITS) or other is changes[number + 1]):
                yield one, other, kind
                break


def _kind(path: str, one: StateChange, other: StateChange) -> str:
    """What kind of pair two changes of one path are, that follow one another; or nothing."""
    first, second = one.step, other.step
    if "[" in path or path.endswith("->"):
        return ""  # elements are data: half changed they are what an exception leaves too
    if is_undone(first, second):
        return COUNT if first.how == ADD else BITS
    if MIXED in (first.how, second.how):
        return HELPERS if one.helper != other.helper else ""
    if second.how != SET:
        return ""
    if other.source == path and one.value != other.value:
        return SAVED
    constant = second.value.startswith(("=", "&v:"))
    if first.how == SET and constant and first.value != second.value:
        known = first.value.startswith(("=", "&"))
        return FLAG if known or is_static(path) else ""
    return ""


def _is_alike(one: StateChange, other: StateChange, counted: bool) -> bool:
    """Return whether two changes do the same to one path: a count's amount says so."""
    if counted:
        return one.step == other.step
    return (one.step, one.helper, one.value) == (other.step, other.helper, other.value)


def _is_statement(node: Node) -> bool:
    """Return whether an expression stands alone as a statement."""
    above = node.parent
    return above is not None and not above.kind.is_expression() and above.kind not in _HOLDERS


def _is_known_at(node: Node, place: Exit) -> bool:
    """Return whether every local that an expression names is declared where an exit stands."""
    return all(_is_declared(inner, place) for inner in node.walk(evaluated))


def _is_declared(name: Node, place: Exit) -> bool:
    declared = name.referenced if name.kind == K.DECL_REF_EXPR else None
    if declared is None or declared.kind != K.VAR_DECL:
        return True
    above = declared.semantic_parent
    if above is None or above.kind != K.FUNCTION_DECL:
        return True
    at = declared.location.offset
    scope = next(
        (
            around
            for node in place.node.top().walk()
            if node.kind == K.VAR_DECL and node.cursor.location.offset == at
            for around in node.ancestors()
            if around.kind in _SCOPES
        ),
        None,
    )
    return scope is not None and at < place.offset and scope.span.holds(place.node.span)
