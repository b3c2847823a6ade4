"""Writes out the conversions that C makes by itself and C++ does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clang.cindex import Type

from porter.rewrite.edit import Edit, wrap
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind, Unit

_POINTERS = (TypeKind.POINTER,)
_FUNCTIONS = (TypeKind.FUNCTIONPROTO, TypeKind.FUNCTIONNOPROTO)
_INTEGERS = frozenset(
    {
        TypeKind.BOOL, TypeKind.CHAR_U, TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT,
        TypeKind.ULONG, TypeKind.ULONGLONG, TypeKind.CHAR_S, TypeKind.SCHAR, TypeKind.SHORT,
        TypeKind.INT, TypeKind.LONG, TypeKind.LONGLONG, TypeKind.ENUM,
    }
)
_FLOATS = frozenset({TypeKind.FLOAT, TypeKind.DOUBLE})
_ATTRIBUTE = re.compile(r"\s*__attribute__\(\((?:[^()]|\([^()]*\))*\)\)")


def spell(kind: Type) -> str:
    """A type as C++ source, without attributes."""
    return _ATTRIBUTE.sub("", str(kind.spelling)).replace("_Bool", "bool")


class Casts(Rule):
    """Adds a cast where C converts a pointer, an enum or a narrower integer by itself."""

    name = "casts"
    example = Example(
        "void *f(void); int *g(void) { return f(); }",
        "void *f(void); int *g(void) { return (int *)(f()); }",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for node in unit.walk():
            if node.kind == K.UNEXPOSED_EXPR and len(node.children) == 1:
                if self._needed(node):
                    target = spell(node.type)
                    if "unnamed" in target or "anonymous" in target:
                        raise self.refuse(node, f"a conversion to a type without a name ({target})")
                    yield wrap(node.span, f"({target})(", ")", self.name)

    def _needed(self, node: Node) -> bool:
        parent = node.parent
        if parent is None or parent.kind == K.CSTYLE_CAST_EXPR:
            return False
        if parent.kind == K.UNEXPOSED_EXPR and parent.span == node.span and self._needed(parent):
            return False
        target = node.canonical
        source = node.children[0].canonical
        if target.kind in _POINTERS:
            return self._pointer_needs_cast(target, source, node)
        if target.kind == TypeKind.ENUM:
            return source.kind != TypeKind.ENUM or target != source
        if parent.kind == K.INIT_LIST_EXPR or self._is_designated(parent):
            return _narrows(target, source)
        return False

    @staticmethod
    def _is_designated(parent: Node) -> bool:
        return parent.kind == K.UNEXPOSED_EXPR and parent.type.kind == TypeKind.VOID

    @staticmethod
    def _pointer_needs_cast(target: Type, source: Type, node: Node) -> bool:
        if source.kind in _FUNCTIONS or source.kind in (
            TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY, TypeKind.VARIABLEARRAY,
        ):
            return False
        if source.kind not in _POINTERS:
            return True
        to, of = target.get_pointee(), source.get_pointee()
        if _unqualified(to) == _unqualified(of):
            return bool(
                (of.is_const_qualified() and not to.is_const_qualified())
                or (of.is_volatile_qualified() and not to.is_volatile_qualified())
            )
        if to.kind == TypeKind.VOID and of.kind not in _FUNCTIONS:
            return bool(of.is_const_qualified() and not to.is_const_qualified())
        return True


def _unqualified(kind: Type) -> str:
    spelled = spell(kind.get_canonical())
    if kind.get_canonical().kind in _POINTERS:
        return re.sub(r"\s*\b(const|volatile)\b\s*$", "", spelled)
    return re.sub(r"^(?:(?:const|volatile)\s+)+", "", spelled)


def _narrows(target: Type, source: Type) -> bool:
    """Whether C++ forbids the conversion between braces."""
    if target.kind in _FLOATS:
        return source.kind in _INTEGERS or (source.get_size() > target.get_size())
    if target.kind not in _INTEGERS:
        return False
    return source.kind in _INTEGERS | _FLOATS and target.kind != source.kind
