"""Ends functions that C lets run off their end."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, insert
from porter.rewrite.facts import body
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.rewrite.rules.unwinding import returns_void
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Unit


class Returns(Rule):
    """Adds `return {};` at the end of a function that has a value: C++ may not reach it."""

    name = "returns"
    example = Example(
        "int f(int n) { if (n) return n; }",
        "int f(int n) { if (n) return n; return {}; }",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for function in unit.declarations:
            block = body(function) if function.kind == K.FUNCTION_DECL else None
            if block is None or returns_void(function):
                continue
            if not block.children or block.children[-1].kind != K.RETURN_STMT:
                yield insert(block.end - 1, "return {}; ", self.name)
