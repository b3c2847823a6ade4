"""Writes compound assignments and increments of enums as plain assignments with a cast."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, Span, replace
from porter.rewrite.facts import has_effect
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.rewrite.rules.casts import spell
from porter.rewrite.rules.signs import is_unsigned_enum
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind, Unit

_SIGNED = ("/", "%", ">>")


class Enums(Rule):
    """Turns `e |= x` and `e++` on an enum into assignments of a cast result."""

    name = "enums"
    example = Example(
        "enum E { A, B }; void f(enum E e) { e |= B; }",
        "enum E { A, B }; void f(enum E e) { e = (enum E)((e) | (B)); }",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for node in unit.walk():
            if node.canonical.kind != TypeKind.ENUM:
                continue
            if node.kind == K.COMPOUND_ASSIGNMENT_OPERATOR:
                yield self._compound(node)
            elif node.kind == K.UNARY_OPERATOR and node.children:
                for step in ("++", "--"):
                    if node.text.startswith(step) or node.text.endswith(step):
                        yield self._step(node, step[0])

    def _compound(self, node: Node) -> Edit:
        left, right = node.children
        self._refuse_effects(left)
        operator = node.binary_operator().removesuffix("=")
        # C++ promotes it to int, C computes with the unsigned int that it is.
        sign = "(unsigned int)" if operator in _SIGNED and is_unsigned_enum(left) else ""
        return replace(
            node.span,
            self.name,
            left.span,
            f" = ({spell(node.type)})({sign}(",
            left.span,
            f") {operator} (",
            right.span,
            "))",
        )

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
            Span(operand.start, operand.end),
            f") {sign} 1))",
        )

    def _refuse_effects(self, operand: Node) -> None:
        """The operand is written twice, so it must not do anything."""
        if any(map(has_effect, operand.walk())):
            raise self.refuse(operand, "an enum is changed where its place has effects")
