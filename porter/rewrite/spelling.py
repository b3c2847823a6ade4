"""Spell C types as C++ source."""

from __future__ import annotations

import re

from clang.cindex import Cursor, Type

from porter.rewrite.names import cpp_name, cpp_words
from porter.syntax.kinds import ALL_ARRAYS, TAGS
from porter.syntax.node import TypeKind

_ATTRIBUTE = re.compile(r"\s*__attribute__\(\((?:[^()]|\([^()]*\))*\)\)")


def spell(kind: Type) -> str:
    """Return a type as C++ source: without attributes, with nested tags qualified."""
    spelled = cpp_words(_ATTRIBUTE.sub("", str(kind.spelling))).replace("_Bool", "bool")
    inner = kind
    while inner.kind == TypeKind.POINTER or inner.kind in ALL_ARRAYS:
        is_pointer = inner.kind == TypeKind.POINTER
        inner = inner.get_pointee() if is_pointer else inner.element_type
    declared = inner.get_declaration()
    tag = cpp_name(str(declared.spelling))
    prefix = _outer_tags(declared)
    if prefix and prefix not in spelled:
        spelled = re.sub(rf"\b{re.escape(tag)}\b", prefix + tag, spelled)
    return spelled


def is_nameless(spelled: str) -> bool:
    """Return whether libclang's spelling is that of an anonymous type."""
    return "unnamed" in spelled or "anonymous" in spelled


def _outer_tags(declared: Cursor) -> str:
    """Return `Outer::` for a tag defined inside a struct, else an empty string."""
    definition = declared.get_definition() if declared.kind in TAGS else None
    names: list[str] = []
    outer = definition.lexical_parent if definition is not None else None
    while outer is not None and outer.kind in TAGS:
        names.append(f"{cpp_name(str(outer.spelling))}::")
        outer = outer.lexical_parent
    return "".join(reversed(names))
