"""Puts parameters that are declared behind a function's head into it."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, Span, replace
from porter.rewrite.facts import body
from porter.rewrite.names import cpp_name
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.rewrite.rules.casts import spell
from porter.syntax.kinds import TAGS
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, Unit


class Heads(Rule):
    """Puts parameters that are declared behind a function's head, as before C89, into the head."""

    name = "heads"
    example = Example(
        "int f(a, p) int (*p)(int); int a; { return p(a); }",
        "int f(porter_as<int> a, porter_as<int (*)(int)> p) { return p(a); }",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for node in unit.declarations:
            block = body(node) if node.kind == K.FUNCTION_DECL else None
            if block is None:
                continue
            behind = Span(node.cursor.location.offset + len(node.spelling), block.start)
            if ";" in unit.code_between(behind.start, behind.end):
                for tag in unit.walk():
                    if tag.kind in TAGS and behind.start <= tag.start < behind.end:
                        raise self.refuse(tag, "a type that is defined behind a function's head")
                yield replace(behind, self.name, f"({', '.join(self._parameters(node))}) ")

    def _parameters(self, function: Node) -> list[str]:
        """One text a parameter, in the order of the head."""
        return [
            f"porter_as<{spell(child.type)}> {cpp_name(child.spelling)}"
            for child in function.children
            if child.kind == K.PARM_DECL
        ]
