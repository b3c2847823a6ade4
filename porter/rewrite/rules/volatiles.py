"""Drops volatile from locals that only needed it for setjmp."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.rewrite.edit import Edit, replace
from porter.rewrite.queries import is_setjmp
from porter.rewrite.rule import Example, Rule, on_body
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node
from porter.syntax.span import Span

_VOLATILE = re.compile(r"\bvolatile\b")


class Volatiles(Rule):
    """Drops volatile from the locals of a function that calls setjmp: its landing is a goto."""

    name = "volatiles"
    example = Example(
        "int setjmp(int *); "
        "int f(int *b) { volatile int n = 0; if (setjmp(b)) return n; return ++n; }",
        "int setjmp(int *); int f(int *b) {  int n = 0; if (setjmp(b)) return n; return ++n; }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Looks at the variables of a function only if it calls setjmp anywhere."""
        if not any(node.kind == K.CALL_EXPR and is_setjmp(node) for node in block.walk()):
            return
        for node in function.walk():
            if node.kind in (K.VAR_DECL, K.PARM_DECL) and node.type.is_volatile_qualified():
                name_at = node.cursor.location.offset
                for match in _VOLATILE.finditer(self.unit.text, node.start, name_at):
                    yield replace(Span(*match.span()), self.name)
