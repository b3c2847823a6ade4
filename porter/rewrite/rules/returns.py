"""Rule `returns`: end non-void functions with a return, because falling off is undefined in C++."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, insert
from porter.rewrite.queries import returns_void
from porter.rewrite.rule import Example, Rule, on_body
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node


class Returns(Rule):
    """Adds `return {};` at the end of a non-void function, whose end C++ must not reach."""

    name = "returns"
    example = Example(
        "int f(int n) { if (n) return n; }",
        "int f(int n) { if (n) return n; return {}; }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Add a return to a non-void function whose last statement is not a return."""
        last = block.children[-1] if block.children else None
        if not returns_void(function) and (last is None or last.kind != K.RETURN_STMT):
            yield insert(block.end - 1, "return {}; ", self.name)
