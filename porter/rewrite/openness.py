"""Dataflow analysis: where in a function a change is pending, that is, made and not yet undone.

For each exit of an unwind, the abstract interpretation computes whether the change is pending on
some path to the exit, on all paths, or on none. It follows jumps, loops and switches.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from attrs import define, field

from porter.rewrite.magnitudes import constant
from porter.rewrite.queries import evaluated
from porter.syntax.kinds import LOOPS
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node

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
    """

    opening: Collection[Node]
    closing: Collection[Node]
    ending: Collection[Node] = ()
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
            self._sequence(node, states)
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
