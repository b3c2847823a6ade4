"""Drops volatile from locals that only needed it for setjmp."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.rewrite.edit import Edit, Span, replace
from porter.rewrite.facts import body, callee
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Unit

_VOLATILE = re.compile(r"\bvolatile\b")


class Volatiles(Rule):
    """Drops volatile from the locals of a function that calls setjmp: its landing is a goto."""

    name = "volatiles"
    example = Example(
        "int setjmp(int *); "
        "int f(int *b) { volatile int n = 0; if (setjmp(b)) return n; return ++n; }",
        "int setjmp(int *); int f(int *b) {  int n = 0; if (setjmp(b)) return n; return ++n; }",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for function in unit.declarations:
            block = body(function) if function.kind == K.FUNCTION_DECL else None
            if block is None:
                continue
            calls = (callee(node) for node in block.walk() if node.kind == K.CALL_EXPR)
            if not any(target is not None and target.spelling == "setjmp" for target in calls):
                continue
            for node in function.walk():
                if node.kind in (K.VAR_DECL, K.PARM_DECL) and node.type.is_volatile_qualified():
                    name_at = node.cursor.location.offset
                    for match in _VOLATILE.finditer(unit.text, node.start, name_at):
                        yield replace(Span(*match.span()), self.name)
