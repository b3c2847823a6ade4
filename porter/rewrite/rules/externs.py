"""Rule `externs`: move declarations of external names out of functions."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, insert, replace
from porter.rewrite.queries import symbol_key
from porter.rewrite.rule import Example, Rule, on
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node


class Externs(Rule):
    """Moves `extern` declarations in a function before it, where they can be marked."""

    name = "externs"
    example = Example(
        "int f(void) { extern const int k; return k; }",
        "PORTER_DEVICE extern const int k; int f(void) { ; return k; }",
    )

    @on(K.FUNCTION_DECL)
    def function(self, node: Node) -> Iterator[Edit]:
        """Move the declaration of a function out of another function."""
        if node.parent is not None and node.parent.kind == K.DECL_STMT:
            yield from self._move(node, node.parent)

    @on(K.VAR_DECL)
    def variable(self, node: Node) -> Iterator[Edit]:
        """Move a variable's extern declaration, unless the variable is in the state."""
        if (
            node.parent is not None
            and node.parent.kind == K.DECL_STMT
            and node.cursor.storage_class.name == "EXTERN"
            and symbol_key(self.unit.name, node.cursor) not in self.program.state
        ):
            yield from self._move(node, node.parent)

    def _move(self, node: Node, statement: Node) -> Iterator[Edit]:
        if len(statement.children) != 1:
            raise self.refuse(node, "several external names in one declaration")
        yield insert(node.top().start, f"PORTER_DEVICE {node.text}; ", self.name)
        yield replace(node.span, self.name)
