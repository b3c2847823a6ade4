"""Writes out the conversions that C makes by itself and C++ does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clang.cindex import Cursor, Type

from porter.rewrite.edit import Edit, wrap
from porter.rewrite.names import cpp_name, cpp_words
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.syntax.kinds import TAGS
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind, Unit

_POINTERS = (TypeKind.POINTER,)
_ARRAYS = (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY, TypeKind.VARIABLEARRAY)
_FUNCTIONS = (TypeKind.FUNCTIONPROTO, TypeKind.FUNCTIONNOPROTO)
INTEGERS = frozenset(
    {
        TypeKind.BOOL,
        TypeKind.CHAR_U,
        TypeKind.UCHAR,
        TypeKind.USHORT,
        TypeKind.UINT,
        TypeKind.ULONG,
        TypeKind.ULONGLONG,
        TypeKind.CHAR_S,
        TypeKind.SCHAR,
        TypeKind.SHORT,
        TypeKind.INT,
        TypeKind.LONG,
        TypeKind.LONGLONG,
        TypeKind.ENUM,
    }
)
_FLOATS = frozenset({TypeKind.FLOAT, TypeKind.DOUBLE})
_ATTRIBUTE = re.compile(r"\s*__attribute__\(\((?:[^()]|\([^()]*\))*\)\)")


def spell(kind: Type) -> str:
    """A type as C++ source: without attributes, with the structs around a nested tag."""
    spelled = cpp_words(_ATTRIBUTE.sub("", str(kind.spelling))).replace("_Bool", "bool")
    inner = kind
    while inner.kind in (*_POINTERS, *_ARRAYS):
        inner = inner.get_pointee() if inner.kind in _POINTERS else inner.element_type
    declared = inner.get_declaration()
    tag = cpp_name(str(declared.spelling))
    prefix = outer_tags(declared)
    if prefix and prefix not in spelled:
        spelled = re.sub(rf"\b{re.escape(tag)}\b", prefix + tag, spelled)
    return spelled


def outer_tags(declared: Cursor) -> str:
    """`Outer::` for a tag that is defined inside a struct, else nothing."""
    definition = declared.get_definition() if declared.kind in TAGS else None
    names: list[str] = []
    outer = definition.lexical_parent if definition is not None else None
    while outer is not None and outer.kind in TAGS:
        names.append(f"{cpp_name(str(outer.spelling))}::")
        outer = outer.lexical_parent
    return "".join(reversed(names))


def is_implicit(node: Node) -> bool:
    """Whether a node is a conversion that the source does not show: it spans just its operand."""
    return (
        node.kind == K.UNEXPOSED_EXPR
        and len(node.children) == 1
        and node.children[0].span == node.span
    )


class Casts(Rule):
    """Adds a cast where C converts a pointer, an enum or a narrower integer by itself."""

    name = "casts"
    example = Example(
        "void *f(void); int *g(void) { return f(); }",
        "void *f(void); int *g(void) { return (int *)(f()); }",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for node in unit.walk():
            if is_implicit(node) and self._needed(node):
                target = spell(node.type)
                if node.canonical.kind in _ARRAYS:  # how libclang shows an array parameter's type
                    target = spell(node.canonical.element_type) + " *"
                if "unnamed" in target or "anonymous" in target:
                    if _is_compared(node):  # C++ too compares such a pointer with a void *
                        continue
                    raise self.refuse(node, f"a conversion to a type without a name ({target})")
                yield wrap(node.span, f"({target})(", ")", self.name)

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
        if target.kind in _ARRAYS:
            return self._pointer_needs_cast(target.element_type, source)
        if target.kind == TypeKind.ENUM:
            same = source.kind == TypeKind.ENUM
            return not same or target.get_declaration() != source.get_declaration()
        if target.kind in INTEGERS - {TypeKind.BOOL} and source.kind in (*_POINTERS, *_ARRAYS):
            return True  # a warning in C
        if parent.kind == K.INIT_LIST_EXPR or self._is_designated(parent):
            return _narrows(target, source)
        return False

    @staticmethod
    def _is_designated(parent: Node) -> bool:
        return bool(parent.kind == K.UNEXPOSED_EXPR and parent.type.kind == TypeKind.VOID)

    @staticmethod
    def _pointer_needs_cast(to: Type, source: Type) -> bool:
        """Whether C++ refuses to make a pointer to `to` from a value of type `source`."""
        if source.kind in _FUNCTIONS or source.kind in _ARRAYS:
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
    """Whether a value is an operand of == or !=."""
    above = node.parent
    while above is not None and above.kind == K.PAREN_EXPR:
        above = above.parent
    if above is None or above.kind != K.BINARY_OPERATOR:
        return False
    return above.binary_operator() in ("==", "!=")


def _unqualified(kind: Type) -> str:
    spelled = spell(kind.get_canonical())
    if kind.get_canonical().kind in _POINTERS:
        return re.sub(r"\s*\b(const|volatile)\b\s*$", "", spelled)
    return re.sub(r"^(?:(?:const|volatile)\s+)+", "", spelled)


def _narrows(target: Type, source: Type) -> bool:
    """Whether C++ forbids the conversion between braces."""
    if target.kind in _FLOATS:
        return source.kind in INTEGERS or (source.get_size() > target.get_size())
    if target.kind not in INTEGERS:
        return False
    return source.kind in INTEGERS | _FLOATS and target.kind != source.kind
