"""Rule `enums`: turn compound assignments and steps of enums into plain assignments."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, replace
from porter.rewrite.queries import has_effect, is_unsigned_enum
from porter.rewrite.rule import Example, Rule, on
from porter.rewrite.spelling import spell
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind

_SIGNED = ("/", "%", ">>")


class Enums(Rule):
    """Turns `e |= x` and `e++` on an enum into assignments of a cast result."""

    name = "enums"
    example = Example(
        "enum E { A, B }; void f(enum E e) { e |= B; }",
        "enum E { A, B }; void f(enum E e) { e = (enum E)((e) | (B)); }",
    )

    @on(K.COMPOUND_ASSIGNMENT_OPERATOR)
    def compound(self, node: Node) -> Iterator[Edit]:
        """Rewrite `e |= x`."""
        if node.canonical.kind != TypeKind.ENUM:
            return
        left, right = node.children
        self._refuse_effects(left)
        operator = node.binary_operator().removesuffix("=")
        # C++ promotes the enum to int; C computes with its type, unsigned int.
        sign = "(unsigned int)" if operator in _SIGNED and is_unsigned_enum(left) else ""
        yield replace(
            node.span,
            self.name,
            left.span,
            f" = ({spell(node.type)})({sign}(",
            left.span,
            f") {operator} (",
            right.span,
            "))",
        )

    @on(K.UNARY_OPERATOR)
    def unary(self, node: Node) -> Iterator[Edit]:
        """Rewrite `e++` and `--e`."""
        if node.canonical.kind == TypeKind.ENUM and node.children:
            for step in ("++", "--"):
                if node.text.startswith(step) or node.text.endswith(step):
                    yield self._step(node, step[0])

    def _step(self, node: Node, sign: str) -> Edit:
        operand = node.children[0]
        self._refuse_effects(operand)
        if (
            node.parent is not None
            and node.parent.kind
            not in (K.COMPOUND_STMT, K.FOR_STMT, K.IF_STMT, K.WHILE_STMT, K.CASE_STMT)
            and not node.text.startswith(sign)
        ):
            raise self.refuse(node, "the value of a postfix step of an enum is used")
        return replace(
            node.span,
            self.name,
            "(",
            operand.span,
            f" = ({spell(node.type)})((",
            operand.span,
            f") {sign} 1))",
        )

    def _refuse_effects(self, operand: Node) -> None:
        """Refuse an operand with side effects, because the result evaluates it twice."""
        if any(map(has_effect, operand.walk())):
            raise self.refuse(operand, "an enum is changed where its place has effects")
