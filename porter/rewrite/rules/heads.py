"""Rule `heads`: convert old-style (K&R) function definitions to prototypes."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, replace
from porter.rewrite.names import cpp_name
from porter.rewrite.rule import Example, Rule, on_body
from porter.rewrite.spelling import spell
from porter.syntax.kinds import TAGS
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node
from porter.syntax.span import Span


class Heads(Rule):
    """Moves parameter declarations of an old-style (K&R) definition into the parameter list."""

    name = "heads"
    example = Example(
        "int f(a, p) int (*p)(int); int a; { return p(a); }",
        "int f(porter_as<int> a, porter_as<int (*)(int)> p) { return p(a); }",
    )

    @on_body
    def head(self, function: Node, block: Node) -> Iterator[Edit]:
        """Rewrite the parameter list of an old-style definition."""
        behind = Span(function.cursor.location.offset + len(function.spelling), block.start)
        if ";" not in self.unit.code_between(behind.start, behind.end):
            return
        for tag in self.unit.walk():
            if tag.kind in TAGS and behind.start <= tag.start < behind.end:
                raise self.refuse(tag, "a type that is defined behind a function's head")
        yield replace(behind, self.name, f"({', '.join(self._parameters(function))}) ")

    def _parameters(self, function: Node) -> list[str]:
        """Return the parameters as C++ declarations, in order."""
        return [
            f"porter_as<{spell(child.type)}> {cpp_name(child.spelling)}"
            for child in function.children
            if child.kind == K.PARM_DECL
        ]
