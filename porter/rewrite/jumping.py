"""The jumps of a function: gotos, cases, and calls that land at a setjmp."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from porter.rewrite.landings import find_landings
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node


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
