"""Makes arithmetic of sizes saturate: what overflows stays too large for any allocator."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, Part, replace, wrap
from porter.rewrite.flows import narrows, rounding_mask
from porter.rewrite.magnitudes import bits, constant, exact_bits, is_signed, is_size_of
from porter.rewrite.places import (
    ARGUMENT,
    NARROWED,
    OPERATOR,
    argument_place,
    bare,
    is_integer,
    operation,
)
from porter.rewrite.quantities import COPIES
from porter.rewrite.queries import above_parentheses, has_effect, is_implicit, strip
from porter.rewrite.rule import Example, Rule, on
from porter.rewrite.spelling import spell
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind

_HELPERS = {"+": "add", "*": "mul", "<<": "shl"}
_ROUNDED = frozenset({"&", "/", ">>"})
_SMALL = 32  # bits of a constant that a sum of 64 bits may add without a check


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
        """Replaces an operator; widens the mask of a rounding."""
        if not self._is_sized(node):
            return
        operator = node.binary_operator()
        if operator == "&":
            yield from self._mask(node)
        elif operator in _HELPERS and self._overflows(node):
            left, right = node.children
            helper = _HELPERS[operator]
            if operator == "*" and _is_fixed(left):
                left, right = right, left
            if operator == "*" and _is_fixed(right):
                helper = "scale"
            elif operator == "+" and _is_small(node):
                if not _is_rounded(node):
                    return
                helper = "up"
            call = f"porter_size_{helper}<{spell(node.canonical)}>("
            yield replace(node.span, self.name, call, left.span, ", ", right.span, ")")

    @on(K.COMPOUND_ASSIGNMENT_OPERATOR)
    def compound(self, node: Node) -> Iterator[Edit]:
        """Replaces an assignment that computes."""
        left, right = node.children
        operator = node.binary_operator()[:-1]
        size = node.canonical.get_size()
        if operator not in _HELPERS or not self._is_sized(node) or size < 4:
            return
        is_modular = operator == "+" and (size == 4 and not is_signed(node) or _is_small(node))
        if is_modular or not is_integer(right) or strip(right).canonical.get_size() > size:
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
        """Saturates a conversion to fewer bits."""
        if not node.children or not self._is_sized(node, NARROWED) or not narrows(node):
            return
        below = node.children[-1]
        if bits(below) > 32 - is_signed(node):
            helper = f"porter_size_narrow<{spell(node.canonical)}>("
            yield wrap(below.span, helper, ")", self.name)

    @on(K.CALL_EXPR)
    def call(self, node: Node) -> Iterator[Edit]:
        """Makes an argument too large that is negative, where a size is asked for."""
        for number, argument in enumerate(node.children[1:]):
            if not self._is_sized(argument, ARGUMENT) or not _becomes_unsigned(argument):
                continue
            if argument_place(node, number) not in COPIES:
                yield wrap(argument.span, "porter_size_given(", ")", self.name)

    def _is_sized(self, node: Node, kind: str = OPERATOR) -> bool:
        return operation(node, kind) in self.program.sized.get(self.unit.name, ())

    def _overflows(self, node: Node) -> bool:
        """Whether an operator's result may not fit its type."""
        if constant(node) is not None:
            return False
        size, operator = node.canonical.get_size(), node.binary_operator()
        if size == 4 and operator == "+" and not is_signed(node):
            return False
        return size in (4, 8) and exact_bits(node) > 8 * size - (size == 8 or is_signed(node))

    def _mask(self, node: Node) -> Iterator[Edit]:
        """A mask of 32 bits is to clear low bits only, of a value of 64 bits too."""
        mask = rounding_mask(node)
        if mask is None or node.canonical.get_size() != 8:
            return
        inner = strip(mask)
        if inner.canonical.get_size() == 4 and not is_signed(inner):
            yield wrap(mask.span, "porter_size_mask(", ")", self.name)


def _is_fixed(node: Node) -> bool:
    return is_size_of(node) or (constant(node) or 0) > 0


def _is_small(node: Node) -> bool:
    """Whether a sum of 64 unsigned bits adds a constant: too large stays too large."""
    if node.canonical.get_size() != 8 or is_signed(node):
        return False
    return any(_is_fixed(child) and bits(child) <= _SMALL for child in node.children)


def _is_rounded(node: Node) -> bool:
    """Whether a sum is rounded down next: a wrapped one would come out small."""
    above = above_parentheses(node)
    return (
        above is not None
        and above.kind == K.BINARY_OPERATOR
        and above.binary_operator() in _ROUNDED
        and bare(above.children[0]).span == bare(node).span
    )


def _is_bit_field(node: Node) -> bool:
    node = strip(node)
    return bool(
        node.kind == K.MEMBER_REF_EXPR
        and node.referenced is not None
        and node.referenced.is_bitfield()
    )


def _becomes_unsigned(argument: Node) -> bool:
    """Whether a signed value that may be negative is converted to 64 unsigned bits."""
    below = argument
    while is_implicit(below) and is_integer(below.children[0]):
        below = below.children[0]
    if argument.canonical.get_size() != 8 or is_signed(argument) or not is_signed(below):
        return False
    below = bare(below)
    if below.kind == K.BINARY_OPERATOR and below.binary_operator() == "-":
        return below.children[0].canonical.kind != TypeKind.POINTER
    return constant(below) is None
