"""Rule `varargs`: pass and read every integer of a variable argument list as 64 bits.

C code may pass an int where the callee reads a size_t, such as upstream's `%q` with an enumerator.
On x86 the registers hide the mismatch. A GPU packs the list by size, so all later arguments would
be read from wrong offsets.
"""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, replace, wrap
from porter.rewrite.rule import Example, Rule, on
from porter.rewrite.spelling import BUILTIN, spell
from porter.syntax.node import INTEGERS, Node, TypeKind
from porter.syntax.node import CursorKind as K

_WORD = 8  # bytes
_UNSIGNED = frozenset(
    {TypeKind.BOOL, TypeKind.CHAR_U, TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT}
)


class Varargs(Rule):
    """Widens integers in a variable argument list to 64 bits, in calls and in `va_arg`."""

    name = "varargs"
    example = Example(
        "void f(int n, ...) { __builtin_va_list a; __builtin_va_start(a, n); "
        "n = __builtin_va_arg(a, int); } void g(void) { f(1, 2); }",
        "void f(int n, ...) { __builtin_va_list a; __builtin_va_start(a, n); "
        "n = (int)(__builtin_va_arg(a, long)); } void g(void) { f(1, (long)(2)); }",
    )

    @on(K.CALL_EXPR)
    def call(self, node: Node) -> Iterator[Edit]:
        """Widen the variable arguments of a call."""
        if node.spelling.startswith(BUILTIN):
            return
        for argument in _variable_arguments(node):
            if _is_narrow(argument):
                wide = "unsigned long" if _is_unsigned(argument) else "long"
                yield wrap(argument.span, f"({wide})(", ")", self.name)

    @on(K.UNEXPOSED_EXPR)
    def read(self, node: Node) -> Iterator[Edit]:
        """Read 64 bits where va_arg names a narrower integer type."""
        if _is_read(node) and _is_narrow(node):
            read = (f"({spell(node.type)})(__builtin_va_arg(", node.children[0].span)
            yield replace(node.span, self.name, *read, ", long))")


def _variable_arguments(call: Node) -> list[Node]:
    """Return the variable arguments of a call."""
    if not call.children:
        return []
    function = call.children[0].canonical
    if function.kind == TypeKind.POINTER:
        function = function.get_pointee().get_canonical()
    if function.kind != TypeKind.FUNCTIONPROTO or not function.is_function_variadic():
        return []
    return call.children[1 + len(list(function.argument_types())) :]


def _is_read(node: Node) -> bool:
    """Return whether a node is a va_arg, and not an implicit conversion of one."""
    return (
        node.kind == K.UNEXPOSED_EXPR
        and node.text.startswith("__builtin_va_arg")
        and node.children[0].span != node.span
    )


def _is_narrow(node: Node) -> bool:
    return node.canonical.kind in INTEGERS and node.canonical.get_size() < _WORD


def _is_unsigned(node: Node) -> bool:
    kind = node.canonical
    if kind.kind == TypeKind.ENUM:
        kind = kind.get_declaration().enum_type.get_canonical()
    return kind.kind in _UNSIGNED
