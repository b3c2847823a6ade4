"""Rule `divisions`: make integer division by zero give zero.

A CPU that traps on it would end the process and with it all interpreters.
"""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.constants import constant_value
from porter.rewrite.edit import Edit, replace
from porter.rewrite.places import is_integer
from porter.rewrite.rule import Example, Rule, on
from porter.rewrite.spelling import spell
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node

_HELPERS = {"/": "porter_quotient", "%": "porter_remainder"}


class Divisions(Rule):
    """Replaces `/` and `%` of integers by functions that do not trap."""

    name = "divisions"
    example = Example(
        "int f(int a, int b) { return a / b + a % 10; }",
        "int f(int a, int b) { return porter_quotient<int>(a, b) + a % 10; }",
    )

    @on(K.BINARY_OPERATOR)
    def operator(self, node: Node) -> Iterator[Edit]:
        """Replace a division whose divisor is not a constant."""
        helper = _HELPERS.get(node.binary_operator())
        if helper is None or not is_integer(node) or _is_fixed(node.children[1]):
            return
        left, right = node.children
        call = f"{helper}<{spell(node.canonical)}>("
        yield replace(node.span, self.name, call, left.span, ", ", right.span, ")")

    @on(K.COMPOUND_ASSIGNMENT_OPERATOR)
    def compound(self, node: Node) -> Iterator[Edit]:
        """Replace `a /= b` and `a %= b`."""
        helper = _HELPERS.get(node.binary_operator()[:-1])
        left, right = node.children
        if helper is None or not (is_integer(left) and is_integer(right)) or _is_fixed(right):
            return
        call = f"{helper}_to("
        yield replace(node.span, self.name, call, left.span, ", ", right.span, ")")


def _is_fixed(divisor: Node) -> bool:
    """Return whether a divisor is a constant other than 0 and -1."""
    return constant_value(divisor) not in (None, 0, -1)
