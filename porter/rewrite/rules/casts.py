"""Rule `casts`: make conversions explicit that are implicit in C but not in C++."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clang.cindex import Type

from porter.rewrite.edit import Edit, wrap
from porter.rewrite.queries import above_parentheses, is_designated, is_implicit
from porter.rewrite.rule import Example, Rule, on
from porter.rewrite.spelling import is_nameless, spell
from porter.syntax.kinds import ALL_ARRAYS, FLOATS, INTEGERS
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind

_POINTERS = (TypeKind.POINTER,)
_FUNCTIONS = (TypeKind.FUNCTIONPROTO, TypeKind.FUNCTIONNOPROTO)


class Casts(Rule):
    """Adds a cast where C implicitly converts a pointer, an enum or a narrower integer."""

    name = "casts"
    example = Example(
        "void *f(void); int *g(void) { return f(); }",
        "void *f(void); int *g(void) { return (int *)(f()); }",
    )

    @on(K.UNEXPOSED_EXPR)
    def conversion(self, node: Node) -> Iterator[Edit]:
        """Make an implicit conversion explicit."""
        if not is_implicit(node) or not self._needed(node):
            return
        target = spell(node.type)
        if node.canonical.kind in ALL_ARRAYS:  # libclang's type of an array parameter
            target = spell(node.canonical.element_type) + " *"
        if not is_nameless(target):
            yield wrap(node.span, f"({target})(", ")", self.name)
        elif not _is_compared(node):  # C++ also compares any pointer with a void *
            raise self.refuse(node, f"a conversion to a type without a name ({target})")

    def _needed(self, node: Node) -> bool:
        parent = node.parent
        if parent is None or parent.kind == K.CSTYLE_CAST_EXPR:
            return False
        if parent.kind == K.CALL_EXPR and parent.children[0] is node:
            return False
        if parent.kind == K.UNEXPOSED_EXPR and parent.span == node.span and self._needed(parent):
            return False
        target = node.canonical
        source = node.children[0].canonical
        if target.kind in _POINTERS:
            return self._pointer_needs_cast(target.get_pointee(), source)
        if target.kind in ALL_ARRAYS:
            return self._pointer_needs_cast(target.element_type, source)
        if target.kind == TypeKind.ENUM:
            same = source.kind == TypeKind.ENUM
            return not same or target.get_declaration() != source.get_declaration()
        if target.kind in INTEGERS - {TypeKind.BOOL} and source.kind in (*_POINTERS, *ALL_ARRAYS):
            return True  # a warning in C
        if parent.kind == K.INIT_LIST_EXPR or is_designated(parent):
            return _narrows(target, source)
        return False

    @staticmethod
    def _pointer_needs_cast(to: Type, source: Type) -> bool:
        """Return whether C++ lacks an implicit conversion from `source` to a pointer to `to`."""
        if source.kind in _FUNCTIONS or source.kind in ALL_ARRAYS:
            return False
        if source.kind not in _POINTERS:
            return True
        of = source.get_pointee()
        if _unqualified(to) == _unqualified(of):
            return bool(
                (of.is_const_qualified() and not to.is_const_qualified())
                or (of.is_volatile_qualified() and not to.is_volatile_qualified())
            )
        if to.kind == TypeKind.VOID and of.kind not in _FUNCTIONS:
            return bool(of.is_const_qualified() and not to.is_const_qualified())
        return True


def _is_compared(node: Node) -> bool:
    """Return whether a value is an operand of == or !=."""
    above = above_parentheses(node)
    if above is None or above.kind != K.BINARY_OPERATOR:
        return False
    return above.binary_operator() in ("==", "!=")


def _unqualified(kind: Type) -> str:
    spelled = spell(kind.get_canonical())
    if kind.get_canonical().kind in _POINTERS:
        return re.sub(r"\s*\b(const|volatile)\b\s*$", "", spelled)
    return re.sub(r"^(?:(?:const|volatile)\s+)+", "", spelled)


def _narrows(target: Type, source: Type) -> bool:
    """Return whether C++ forbids the conversion in braces, as narrowing."""
    if target.kind in FLOATS:
        return source.kind in INTEGERS or (source.get_size() > target.get_size())
    if target.kind not in INTEGERS:
        return False
    return source.kind in INTEGERS | FLOATS and target.kind != source.kind
