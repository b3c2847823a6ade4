"""Rule `quantities`: saturate size arithmetic, so that an overflow fails in the allocator."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from porter.rewrite.edit import Edit, Part, replace, wrap
from porter.rewrite.integer_flow import (
    GIVEN,
    NARROWED,
    OPERATOR,
    argument_place,
    bare,
    is_integer,
    narrows,
    operation,
    place,
    rounding_mask,
    variable,
)
from porter.rewrite.integer_values import bits, constant, exact_bits, is_fixed, is_signed
from porter.rewrite.program import COPIES
from porter.rewrite.queries import above_parentheses, has_effect, initialiser, is_implicit, strip
from porter.rewrite.rule import Example, Rule, on
from porter.rewrite.spelling import spell
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind

_HELPERS = {"+": "add", "*": "mul", "<<": "shl"}
_ROUNDED = frozenset({"&", "/", ">>"})
_BITWISE = frozenset({"&", "|", "^", "&=", "|=", "^="})
_EQUALITY = frozenset({"==", "!="})
_SMALL = 32  # maximum bits of a constant that a 64-bit sum adds without a check


class Quantities(Rule):
    """Replaces `+`, `*` and `<<` on the way to an allocation by functions that saturate."""

    name = "quantities"
    example = Example(
        "void *gc_alloc(unsigned long size, int flags);\n"
        "void *f(unsigned long n) { return gc_alloc(n * 3 + 8, 0); }",
        "void *gc_alloc(unsigned long size, int flags);\n"
        "void *f(unsigned long n) "
        "{ return gc_alloc(porter_size_scale<unsigned long>(n, 3) + 8, 0); }",
    )

    @on(K.BINARY_OPERATOR)
    def operator(self, node: Node) -> Iterator[Edit]:
        """Replace an operator by a saturating function, or widen the mask of a rounding."""
        operator = node.binary_operator()
        if operator == "=":
            yield from self._assigned(node)
        if not self._is_sized(node):
            return
        if operator == "&":
            yield from self._mask(node)
        elif operator in _HELPERS and self._overflows(node):
            left, right = node.children
            helper = _HELPERS[operator]
            if operator == "*" and is_fixed(left):
                left, right = right, left
            if operator == "*" and is_fixed(right):
                helper = "scale"
            elif operator == "+" and _is_small(node):
                if not _is_rounded(node):
                    return
                helper = "up"
            call = f"porter_size_{helper}<{spell(node.canonical)}>("
            yield replace(node.span, self.name, call, left.span, ", ", right.span, ")")

    @on(K.COMPOUND_ASSIGNMENT_OPERATOR)
    def compound(self, node: Node) -> Iterator[Edit]:
        """Replace a compound assignment by a saturating function."""
        left, right = node.children
        operator = node.binary_operator()[:-1]
        size = node.canonical.get_size()
        if operator not in _HELPERS or not self._is_sized(node) or size < 4:
            return
        is_left = operator == "+" and (_is_modular(node) or _is_small(node))
        if is_left or not is_integer(right) or strip(right).canonical.get_size() > size:
            return
        helper, kind = f"porter_size_{_HELPERS[operator]}", spell(node.canonical)
        if not _is_bit_field(left):
            call = f"{helper}_to<{kind}>("
            yield replace(node.span, self.name, call, left.span, ", ", right.span, ")")
        elif not any(map(has_effect, left.walk())):
            parts: tuple[Part, ...] = (left.span, ", ", right.span, ")")
            yield replace(node.span, self.name, left.span, f" = {helper}<{kind}>(", *parts)

    @on(K.UNEXPOSED_EXPR, K.CSTYLE_CAST_EXPR)
    def conversion(self, node: Node) -> Iterator[Edit]:
        """Make a conversion to fewer bits saturate."""
        if not node.children or not self._is_sized(node, NARROWED) or not narrows(node):
            return
        below = node.children[-1]
        if bits(below) > 32 - is_signed(node):
            helper = f"porter_size_narrow<{spell(node.canonical)}>("
            yield wrap(below.span, helper, ")", self.name)

    @on(K.CALL_EXPR)
    def call(self, node: Node) -> Iterator[Edit]:
        """Make a negative argument, if it is a size, too large for any allocation."""
        for number, argument in enumerate(node.children[1:]):
            if argument_place(node, number) not in COPIES:
                yield from self._given(argument)

    @on(K.VAR_DECL)
    def declared(self, node: Node) -> Iterator[Edit]:
        """Make the negative initial value of a size too large for any allocation."""
        value = initialiser(node)
        if value is not None and variable(node, node.cursor) not in self._told_apart:
            yield from self._given(value)

    def _assigned(self, node: Node) -> Iterator[Edit]:
        if place(node.children[0]) not in self._told_apart:
            yield from self._given(node.children[1])

    def _given(self, value: Node) -> Iterator[Edit]:
        if not self._is_sized(value, GIVEN):
            return
        is_told_apart = value.canonical.get_size() == 8 and place(value) in self._told_apart
        if is_told_apart or _becomes_unsigned(value):
            yield wrap(value.span, "porter_size_given(", ")", self.name)

    @cached_property
    def _told_apart(self) -> set[str | None]:
        """The places that the unit masks, or compares for equality with a negative number.

        A negative value in such a place has a meaning of its own and is not an invalid size.
        """
        found: set[str | None] = set()
        for node in self.unit.walk():
            if node.kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR):
                left, right = node.children
                operator = node.binary_operator()
                if operator in _BITWISE or (operator in _EQUALITY and _is_negative(right)):
                    found.add(place(left))
        return found - {None}

    def _is_sized(self, node: Node, kind: str = OPERATOR) -> bool:
        return operation(node, kind) in self.program.sized.get(self.unit.name, ())

    def _overflows(self, node: Node) -> bool:
        """Return whether the result of an operator may overflow its type."""
        if constant(node) is not None:
            return False
        size, operator = node.canonical.get_size(), node.binary_operator()
        if operator == "+" and _is_modular(node):
            return False
        return size in (4, 8) and exact_bits(node) > 8 * size - (size == 8 or is_signed(node))

    def _mask(self, node: Node) -> Iterator[Edit]:
        """Widen a 32-bit rounding mask, which would clear the high half of a 64-bit value."""
        mask = rounding_mask(node)
        if mask is None or node.canonical.get_size() != 8:
            return
        inner = strip(mask)
        if inner.canonical.get_size() == 4 and not is_signed(inner):
            yield wrap(mask.span, "porter_size_mask(", ")", self.name)


def _is_modular(node: Node) -> bool:
    """Return whether a sum is unsigned 32-bit; littlefs relies on its wraparound."""
    return bool(node.canonical.get_size() == 4 and not is_signed(node))


def _is_small(node: Node) -> bool:
    """Return whether an unsigned 64-bit sum adds a small constant.

    A saturated operand then stays too large for any allocation.
    """
    if node.canonical.get_size() != 8 or is_signed(node):
        return False
    return any(
        (is_fixed(child) or constant(child) == 0) and bits(child) <= _SMALL
        for child in node.children
    )


def _is_rounded(node: Node) -> bool:
    """Return whether a sum is rounded down next; if it wrapped, the result would be small."""
    above = above_parentheses(node)
    while above is not None and above.kind == K.BINARY_OPERATOR:
        left, right = above.children
        if bare(left).span != bare(node).span or not is_fixed(right):
            return above.binary_operator() in _ROUNDED and rounding_mask(above) is not None
        if above.binary_operator() != "-":
            return above.binary_operator() in _ROUNDED
        node, above = above, above_parentheses(above)  # (n + 8 - 1) / 8
    return False


def _is_bit_field(node: Node) -> bool:
    node = strip(node)
    return bool(
        node.kind == K.MEMBER_REF_EXPR
        and node.referenced is not None
        and node.referenced.is_bitfield()
    )


def _is_negative(node: Node) -> bool:
    value = constant(node)
    return value is not None and (value < 0 or value >> 63 != 0)


def _becomes_unsigned(value: Node) -> bool:
    """Return whether a possibly negative value is converted to unsigned 64-bit."""
    below = value
    while is_implicit(below) and is_integer(below.children[0]):
        below = below.children[0]
    if value.canonical.get_size() != 8 or is_signed(value) or not is_signed(below):
        return False
    below = bare(below)
    if constant(below) is not None or (not is_signed(below) and below.canonical.get_size() < 8):
        return False
    if below.kind == K.CONDITIONAL_OPERATOR:
        return any(constant(branch) is None for branch in below.children[1:])
    if below.kind != K.BINARY_OPERATOR:
        return True
    left, right = below.children
    if below.binary_operator() == "&":
        return not (is_fixed(left) or is_fixed(right))
    return bool(left.canonical.kind != TypeKind.POINTER)
