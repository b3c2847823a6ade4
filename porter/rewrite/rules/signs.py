"""Rule `signs`: keep the arithmetic of unsigned enums unsigned, as in C."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, wrap
from porter.rewrite.queries import above_parentheses, is_choice, is_implicit, is_unsigned_enum
from porter.rewrite.rule import Example, Rule, on
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind

_COMPUTED = frozenset(
    {
        TypeKind.UINT,
        TypeKind.LONG,
        TypeKind.ULONG,
        TypeKind.LONGLONG,
        TypeKind.ULONGLONG,
        TypeKind.FLOAT,
        TypeKind.DOUBLE,
    }
)
_SAME = frozenset({"==", "!=", "&&", "||", ",", "="})


class Signs(Rule):
    """Casts an enum that C computes with as unsigned; C++ promotes it to int."""

    name = "signs"
    example = Example(
        "enum E { A, B }; int f(enum E e) { return e - 2 < 0; }",
        "enum E { A, B }; int f(enum E e) { return (unsigned int)(e) - 2 < 0; }",
    )

    @on(K.UNEXPOSED_EXPR)
    def conversion(self, node: Node) -> Iterator[Edit]:
        """Cast the operand of an implicit conversion of an enum."""
        if (
            is_implicit(node)
            and node.canonical.kind in _COMPUTED
            and is_unsigned_enum(node.children[0])
            and self._matters(node)
        ):
            yield wrap(node.span, "(unsigned int)(", ")", self.name)

    @staticmethod
    def _matters(node: Node) -> bool:
        """Return whether the signedness affects the result: in arithmetic, or when widened."""
        above = above_parentheses(node)
        if above is None:
            return False
        is_wider = node.canonical.kind != TypeKind.UINT
        if above.kind == K.BINARY_OPERATOR:
            operator = above.binary_operator()
            return operator not in _SAME or (is_wider and operator in ("==", "!="))
        if above.kind == K.COMPOUND_ASSIGNMENT_OPERATOR:
            return is_wider or above.binary_operator() in ("/=", "%=")
        return is_choice(above) or above.kind in (K.UNARY_OPERATOR, K.CONDITIONAL_OPERATOR)
