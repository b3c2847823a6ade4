"""Find pairs of changes that an early exit can separate, and the statement that undoes the first.

A data-flow analysis finds where a change is pending: made and not yet undone.

For each exit of an unwind, the abstract interpretation computes whether the change is pending on
some path to the exit, on all paths, or on none. It follows jumps, loops and switches.

An unwind can leave a function at any exit (`unwind_exits.py`). If it leaves between a change
and the change that undoes it, the first change would stay. Examples: lock and unlock, enter and
leave, a depth counter, a saved and restored value. `PairFinder` recognizes pairs by the paths that
they write, not by names. Exit code runs the second change before it leaves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from attrs import define, field, frozen

from porter.rewrite.integer_values import constant
from porter.rewrite.queries import evaluated, strip
from porter.rewrite.state_changes import (
    ADD,
    AND,
    CALL,
    MIXED,
    SET,
    Effects,
    FunctionChanges,
    Placed,
    StateStep,
    is_static,
    is_undone,
)
from porter.syntax.node import LOOPS, Node
from porter.syntax.node import CursorKind as K

States = frozenset[bool]
NOWHERE: States = frozenset()
CLOSED: States = frozenset({False})
OPEN: States = frozenset({True})
_ROUNDS = 8  # iterations over loops and labels; two states reach the fixpoint in three


@define
class _Jumps:
    """The states that `break` and `continue` carry out of a statement."""

    broken: States = NOWHERE
    continued: States = NOWHERE
    switches: bool = False
    entered: States = NOWHERE  # of a switch: the states at its labels
    default: bool = False


@define(eq=False)
class Openness:
    """The abstract interpretation of one function's body for one change.

    Attributes:
        opening: The nodes that make the change.
        closing: The nodes that undo it.
        ending: The calls that never return.
        returning: The states at the returns and at the end of the body.
    """

    opening: Collection[Node]
    closing: Collection[Node]
    ending: Collection[Node] = ()
    returning: States = NOWHERE
    _at: dict[Node, States] = field(factory=dict)  # before a node's own effect
    _behind: dict[Node, States] = field(factory=dict)  # of a loop's body
    _labels: dict[str, States] = field(factory=dict)
    _around: list[_Jumps] = field(factory=list)

    def follow(self, block: Node, begins: States = CLOSED) -> States:
        """Interpret a body; return the states at its end."""
        ends = NOWHERE
        for _ in range(_ROUNDS):
            before = dict(self._labels)
            ends = self._statement(block, begins)
            if self._labels == before:
                break
        self.returning |= ends
        return ends

    def states(self, node: Node, behind: bool) -> States:
        """Return the states at a call, a cast or a jump, or `behind` a loop's body."""
        return (self._behind if behind else self._at).get(node, NOWHERE)

    def _note(self, node: Node, states: States) -> None:
        self._at[node] = self._at.get(node, NOWHERE) | states

    def _statement(self, node: Node, states: States) -> States:
        kind, children = node.kind, node.children
        if kind == K.IF_STMT:
            states = self._statement(children[0], states)
            then = self._statement(children[1], states)
            other = self._statement(children[2], states) if len(children) > 2 else states
            return then | other
        if kind in LOOPS:
            return self._loop(node, states)
        if kind == K.SWITCH_STMT:
            return self._switch(node, states)
        if kind in (K.CASE_STMT, K.DEFAULT_STMT):
            switch = next((jumps for jumps in reversed(self._around) if jumps.switches), None)
            if switch is not None:
                states |= switch.entered
                switch.default = switch.default or kind == K.DEFAULT_STMT
            return self._statement(children[-1], states) if children else states
        if kind == K.LABEL_STMT:
            states |= self._labels.get(node.spelling, NOWHERE)
            return self._sequence(node, states)
        if kind == K.GOTO_STMT and children:
            self._note(node, states)
            name = children[0].spelling
            self._labels[name] = self._labels.get(name, NOWHERE) | states
            return NOWHERE
        if kind in (K.INDIRECT_GOTO_STMT, K.RETURN_STMT):
            ends = self._sequence(node, states)
            self.returning |= ends if kind == K.RETURN_STMT else NOWHERE
            return NOWHERE
        if kind == K.BREAK_STMT:
            if self._around:
                self._around[-1].broken |= states
            return NOWHERE
        if kind == K.CONTINUE_STMT:
            self._note(node, states)
            loop = next((jumps for jumps in reversed(self._around) if not jumps.switches), None)
            if loop is not None:
                loop.continued |= states
            return NOWHERE
        return self._expression(node, states)

    def _sequence(self, node: Node, states: States) -> States:
        for child in node.children:
            states = self._statement(child, states)
        return states

    def _expression(self, node: Node, states: States) -> States:
        if not evaluated(node):
            return states
        operator = node.binary_operator() if node.kind == K.BINARY_OPERATOR else ""
        if node.kind == K.CONDITIONAL_OPERATOR:
            states = self._statement(node.children[0], states)
            states = self._statement(node.children[1], states) | self._statement(
                node.children[2], states
            )
        elif operator in ("&&", "||"):
            states = self._statement(node.children[0], states)
            states |= self._statement(node.children[1], states)
        elif operator == "=":
            states = self._statement(node.children[1], states)
            states = self._statement(node.children[0], states)
        else:
            states = self._sequence(node, states)
        if node.kind in (K.CALL_EXPR, K.CSTYLE_CAST_EXPR):
            self._note(node, states)
        if not states:
            return states
        if node in self.ending:
            return NOWHERE
        if node in self.opening:
            return OPEN
        return CLOSED if node in self.closing else states

    def _loop(self, node: Node, states: States) -> States:
        head, inside = node.children[:-1], node.children[-1]
        if node.kind == K.DO_STMT:
            inside, head = node.children[0], node.children[1:]
        leaving = NOWHERE
        for _ in range(_ROUNDS):
            jumps = _Jumps()
            entered = states
            if node.kind != K.DO_STMT:
                for part in head:
                    entered = self._statement(part, entered)
            self._around.append(jumps)
            ends = self._statement(inside, entered)
            self._around.pop()
            self._behind[inside] = self._behind.get(inside, NOWHERE) | ends
            ends |= jumps.continued
            if node.kind == K.DO_STMT:
                for part in head:
                    ends = self._statement(part, ends)
            through = ends if node.kind == K.DO_STMT else entered | ends
            leaving = jumps.broken | (NOWHERE if _is_endless(node) else through)
            if ends <= states:
                break
            states |= ends
        return leaving

    def _switch(self, node: Node, states: States) -> States:
        states = self._statement(node.children[0], states)
        jumps = _Jumps(switches=True, entered=states)
        self._around.append(jumps)
        ends = self._statement(node.children[-1], NOWHERE)
        self._around.pop()
        return ends | jumps.broken | (NOWHERE if jumps.default else states)


def _is_endless(loop: Node) -> bool:
    """Return whether a loop has no exit condition: only a jump leaves it."""
    if loop.kind == K.FOR_STMT:
        head = loop.unit.code_between(loop.start, loop.children[-1].start)
        return re.search(r";\s*;", head) is not None
    return bool(constant(loop.children[-1 if loop.kind == K.DO_STMT else 0]))


COUNT, BITS, HELPERS, SAVED, FLAG, CLOSER = "count", "bits", "helpers", "saved", "flag", "closer"
_HOLDERS = (K.VAR_DECL, K.RETURN_STMT, K.DECL_STMT)
_SCOPES = (K.COMPOUND_STMT, K.FOR_STMT, K.FUNCTION_DECL)


@frozen(eq=False)
class StateChange:
    """A write in a function, directly or through a helper.

    Attributes:
        step: The write.
        node: The assignment, the increment or the call.
        helper: The key of the called helper; empty for a direct write.
        value: The text of the written value, or of the argument that the helper writes.
        source: The path from which the written value was read before; may be empty.
    """

    step: StateStep
    node: Node
    helper: str
    value: str
    source: str


@frozen
class Exit:
    """A node at which an unwind may leave: a call, a cast, a jump, or the end of a loop's body."""

    node: Node
    behind: bool = False

    @property
    def offset(self) -> int:
        """The offset of the exit in the text."""
        return self.node.end if self.behind else self.node.start


@frozen(eq=False)
class Separated:
    """A pair of changes in a function, and the states at its exits.

    Attributes:
        path: The changed path.
        kind: `count`, `bits`, `helpers` (two helpers that open and close), `saved` (a saved value
            is written back), `flag` (two constants), or `closer` (the function undoes a change of
            its caller).
        first: The first change; for a `closer` the only one.
        exits: The exits at which the change may be pending.
        restoring: The statements that undo the change. An exit uses the first one whose names are
            in scope there.
        openness: The abstract interpretation of the function for this pair.
    """

    path: str
    kind: str
    first: Node
    exits: tuple[Exit, ...]
    restoring: tuple[Node, ...]
    openness: Openness

    @property
    def is_restored(self) -> bool:
        """Return whether all of these exits can undo the change."""
        return all(self.restores(place) is not None for place in self.exits)

    def restores(self, place: Exit) -> Node | None:
        """Return the statement that undoes the change at an exit, or None.

        A flag has none: its writes do not tell which of its two values is the safe one.
        """
        if self.kind == FLAG or place not in self.exits:
            return None
        if self.openness.states(place.node, place.behind) != OPEN:
            return None
        return next((node for node in self.restoring if _is_known_at(node, place)), None)

    def is_open_at(self, landing: Node) -> bool:
        """Return whether the change is pending at a setjmp: code after the landing undoes it."""
        return self.openness.states(landing, False) == OPEN


class PairFinder:
    """The search for pairs of one function that its exits can separate."""

    def __init__(self, function: Node, effects: Effects, never: Callable[[Node], bool]) -> None:
        self.changes = FunctionChanges(function)
        self._effects = effects
        self._never = never

    def separated(self, exits: list[Exit]) -> Iterator[Separated]:
        """Yield the pairs that one of these exits separates, in source order."""
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
        """Return the argument that a helper stores, or None."""
        if not step.value.startswith("p:"):
            return None
        number = int(step.value[2:])
        arguments = call.children[1:]
        return arguments[number] if number < len(arguments) else None

    def _source(self, value: str) -> str:
        """Return the path that was saved in a local variable or a field; may be empty."""
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
        if kind == COUNT and not helpers and True in openness.returning:
            plain = []  # a return keeps the change, so the count may be data instead of a depth
        first = (opening or closing)[0].node
        return Separated(path, kind, first, tuple(separating), tuple(plain), openness)

    def _ends(self, place: Exit) -> bool:
        return place.node.kind == K.CALL_EXPR and self._never(place.node)


def _matching(
    path: str, changes: list[StateChange]
) -> Iterator[tuple[StateChange, StateChange, str]]:
    """Yield each change of a path with the change that undoes it; pairs may be nested."""
    for number, one in enumerate(changes):
        for other in changes[number + 1 :]:
            kind = _kind(path, one, other)
            if kind and (kind in (COUNT, BITS) or other is changes[number + 1]):
                yield one, other, kind
                break


def _kind(path: str, one: StateChange, other: StateChange) -> str:
    """Return the kind of pair that two consecutive changes of a path form; empty if none."""
    first, second = one.step, other.step
    if "[" in path or path.endswith("->"):
        return ""  # elements are data: an exception may leave them partly changed as well
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
    """Return whether two changes are equal; for counts and bits, only the step is compared."""
    if counted:
        return one.step == other.step
    return (one.step, one.helper, one.value) == (other.step, other.helper, other.value)


def _is_statement(node: Node) -> bool:
    """Return whether an expression is a statement."""
    above = node.parent
    return above is not None and not above.kind.is_expression() and above.kind not in _HOLDERS


def _is_known_at(node: Node, place: Exit) -> bool:
    """Return whether every local variable of an expression is in scope at an exit."""
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
