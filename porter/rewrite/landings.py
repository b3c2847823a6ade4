"""Jumps of a function: landings of unwinds, gotos and cases.

A landing is a setjmp call at which an unwind ends, with the code that it covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import frozen

from porter.rewrite.edit import Part
from porter.rewrite.queries import evaluated, is_setjmp, strip
from porter.syntax.node import LOOPS, Node, Span, TypeKind
from porter.syntax.node import CursorKind as K

_SEQUENCES = (K.COMPOUND_STMT, K.LABEL_STMT, K.CASE_STMT, K.DEFAULT_STMT)
_LABELS = (K.LABEL_STMT, K.CASE_STMT, K.DEFAULT_STMT)


@frozen
class Landing:
    """A setjmp call at which an unwind can land.

    Attributes:
        call: The setjmp call.
        statement: The statement that contains the call; the label goes before it.
        reach: The range in which the buffer exists.
        variable: The name of the variable that saves the buffer's address, because the buffer's
            expression may denote another object later. Empty if the buffer is a local variable.
        returns: Ranges before the call that can run after it.
    """

    call: Node
    statement: Node
    reach: Span
    variable: str
    returns: tuple[Span, ...]

    @property
    def label(self) -> str:
        """The name of the label before the statement."""
        return f"porter_landing_{self.call.start}"

    @property
    def buffer(self) -> Node:
        """The argument of setjmp."""
        return self.call.children[1]

    @property
    def address(self) -> str | Span:
        """The buffer's address, as checks refer to it."""
        return self.variable or self.buffer.span

    def covers(self, span: Span) -> bool:
        """Return whether an unwind that starts in a range can land here."""
        if not self.reach.holds(span) or self.call.span.holds(span):
            return False
        return self.call.end <= span.start or any(back.holds(span) for back in self.returns)

    def precedes(self, span: Span) -> bool:
        """Return whether this setjmp dominates a range within its block."""
        block = self.statement.parent
        if block is None or block.kind != K.COMPOUND_STMT or not block.span.holds(span):
            return False
        return self.call.end <= span.start and not any(
            self.statement.end <= child.start <= span.start
            for child in block.walk()
            if child.kind in _LABELS
        )


def find_landings(block: Node) -> list[Landing]:
    """Return the landings of a function's body, in source order."""
    return [
        _landing(call, block)
        for call in block.walk(evaluated)
        if call.kind == K.CALL_EXPR and is_setjmp(call)
    ]


def covering(landings: Iterable[Landing], span: Span) -> list[Landing]:
    """Return the landings that cover a range, the most recently executed setjmp first."""
    found = [landing for landing in landings if landing.covers(span)]
    return sorted(found, key=lambda landing: (not landing.precedes(span), -landing.call.start))


def step_to(landing: Landing, restoring: Iterable[Node]) -> list[Part]:
    """Return the statement that jumps to a landing if it is the target of the unwind.

    Args:
        landing: The landing.
        restoring: Expressions to evaluate before the jump.
    """
    before: list[Part] = [part for node in restoring for part in (node.span, "; ")]
    goto = f"goto {landing.label}; "
    jump: list[Part] = ["{ ", *before, goto, "} "] if before else [goto]
    return ["if (porter_landing_at(", landing.address, ")) ", *jump]


def _landing(call: Node, block: Node) -> Landing:
    statement = call
    while statement.parent is not None and statement.parent.kind not in _SEQUENCES:
        statement = statement.parent
    owner = _owner(call.children[1], block)
    home = block
    if owner is not None:
        home = next(above for above in owner.ancestors() if above.kind in (*LOOPS, *_SEQUENCES))
    variable = "" if owner is not None else f"porter_buffer_{call.start}"
    return Landing(call, statement, home.span, variable, tuple(_returns(call, home, block)))


def _owner(buffer: Node, block: Node) -> Node | None:
    """Return the local variable that contains a buffer, or None if pointers are followed."""
    node = strip(buffer)
    while node.kind != K.DECL_REF_EXPR:
        if node.kind not in (K.MEMBER_REF_EXPR, K.UNARY_OPERATOR) or len(node.children) != 1:
            return None
        if node.kind == K.UNARY_OPERATOR and not node.text.startswith("&"):
            return None
        below = strip(node.children[0])
        if below.canonical.kind == TypeKind.POINTER and below.kind != K.UNARY_OPERATOR:
            return None
        node = below
    declared = node.referenced
    if declared is None or declared.kind != K.VAR_DECL or node.canonical.kind == TypeKind.POINTER:
        return None
    at = declared.location.offset
    for variable in block.walk():
        if variable.kind == K.VAR_DECL and variable.cursor.location.offset == at:
            return None if variable.cursor.storage_class.name == "STATIC" else variable
    return None


def _returns(call: Node, home: Node, block: Node) -> Iterator[Span]:
    """Yield ranges before the setjmp that can run after it: enclosing loops, backward gotos."""
    for above in call.ancestors():
        if above is home:
            break
        if above.kind in LOOPS:
            yield above.span
    labels = {node.spelling: node.start for node in block.walk() if node.kind == K.LABEL_STMT}
    for node in block.walk():
        if node.kind == K.GOTO_STMT and node.start > call.start:
            target = labels[node.children[0].spelling]
            if target < call.start:
                yield Span(target, call.start)


@frozen
class Jump:
    """A jump from one offset of a function to another: a goto, a case or a landing."""

    source: int
    target: int


def jumps(block: Node) -> Iterator[Jump]:
    """Yield every jump of a function's body."""
    labels: dict[str, int] = {}
    gotos: list[tuple[int, str]] = []
    for node in block.walk():
        if node.kind == K.LABEL_STMT:
            labels[node.spelling] = node.start
        elif node.kind == K.GOTO_STMT:
            gotos.append((node.start, node.children[0].spelling))
        elif node.kind in (K.CASE_STMT, K.DEFAULT_STMT):
            switch = next(above for above in node.ancestors() if above.kind == K.SWITCH_STMT)
            yield Jump(switch.start, node.start)
    for start, name in gotos:
        yield Jump(start, labels[name])
    for landing in find_landings(block):
        for node in block.walk():
            if node.kind == K.CALL_EXPR and landing.covers(node.span):
                yield Jump(node.start, landing.statement.start)
