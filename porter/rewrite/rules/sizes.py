"""Rule `sizes`: name the type in sizeof of an expression whose type differs in C++."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, replace
from porter.rewrite.queries import strip
from porter.rewrite.rule import Example, Rule, on
from porter.rewrite.spelling import spell
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node

_TRUTH = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})


class SizeOf(Rule):
    """Turns `sizeof('a')` and `sizeof(a == b)` into `sizeof(int)`, their type in C."""

    name = "sizes"
    example = Example(
        "int f(int a) { return sizeof('a') + sizeof(a == 1); }",
        "int f(int a) { return sizeof(int) + sizeof(int); }",
    )

    @on(K.CXX_UNARY_EXPR)
    def size(self, node: Node) -> Iterator[Edit]:
        """Replace the operand of a sizeof."""
        if not node.text.startswith("sizeof"):
            return
        operand = next((c for c in node.children if c.kind.is_expression()), None)
        if operand is not None and self._differs(strip(operand)):
            yield replace(node.span, self.name, f"sizeof({spell(operand.canonical)})")

    def _differs(self, operand: Node) -> bool:
        """Return whether an expression, such as a comparison, has another type in C++."""
        if operand.kind == K.CHARACTER_LITERAL:
            return True
        if operand.kind == K.DECL_REF_EXPR and operand.referenced is not None:
            return bool(operand.referenced.kind == K.ENUM_CONSTANT_DECL)
        if operand.kind == K.UNARY_OPERATOR:
            return operand.text.startswith("!")
        if operand.kind == K.BINARY_OPERATOR:
            operator = operand.binary_operator()
            if operator == ",":
                raise self.refuse(operand, "the size of an expression with a comma")
            return operator in _TRUTH
        return bool(operand.kind == K.CONDITIONAL_OPERATOR)
