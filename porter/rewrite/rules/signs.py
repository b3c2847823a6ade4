"""Keeps the arithmetic of enums unsigned, as C has it."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, wrap
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.rewrite.rules.casts import is_implicit
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind, Unit

_SAME = frozenset({"==", "!=", "&&", "||", ",", "="})


class Signs(Rule):
    """Casts an enum that C computes with as unsigned; C++ promotes it to int."""

    name = "signs"
    example = Example(
        "enum E { A, B }; int f(enum E e) { return e - 2 < 0; }",
        "enum E { A, B }; int f(enum E e) { return (unsigned int)(e) - 2 < 0; }",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for node in unit.walk():
            if (
                is_implicit(node)
                and node.canonical.kind == TypeKind.UINT
                and node.children[0].canonical.kind == TypeKind.ENUM
                and self._matters(node)
            ):
                yield wrap(node.span, "(unsigned int)(", ")", self.name)

    @staticmethod
    def _matters(node: Node) -> bool:
        """Whether an operator uses the value's sign."""
        above = node.parent
        while above is not None and above.kind == K.PAREN_EXPR:
            above = above.parent
        if above is None:
            return False
        if above.kind == K.BINARY_OPERATOR:
            return above.binary_operator() not in _SAME
        return above.kind in (K.UNARY_OPERATOR, K.CONDITIONAL_OPERATOR)
