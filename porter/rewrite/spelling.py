"""Spell names and types of a unit as C++ source, and match its tokens."""

from __future__ import annotations

import re

from clang.cindex import Cursor, Type

from porter.syntax.node import ALL_ARRAYS, TAGS, TypeKind

_CPP_KEYWORDS = """
    alignas alignof and and_eq asm bitand bitor bool catch char8_t char16_t char32_t class
    compl concept const_cast consteval constexpr constinit co_await co_return co_yield decltype
    delete dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public reinterpret_cast requires static_assert
    static_cast template this thread_local throw true try typeid typename using virtual wchar_t
    xor xor_eq
"""
CPP_KEYWORDS = frozenset(_CPP_KEYWORDS.split())
BUILTIN = "__builtin_"  # prefix of every compiler builtin
# Line markers, strings, characters, words and numbers.
TOKEN = re.compile(
    r'^\#[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*',
    re.MULTILINE,
)
# A GNU attribute; group 1 is the list between its parentheses.
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)\)")
_WORD = re.compile(r"[A-Za-z_]\w*")


def identifier(text: str) -> str:
    """Return text as part of a C identifier: `py/random:seeded@12` gives `py_random_seeded_12`."""
    return "".join(c if c.isalnum() else "_" for c in text)


def cpp_name(name: str) -> str:
    """Return the C++ name of a C identifier."""
    return name + "_" if name in CPP_KEYWORDS else name


def cpp_words(text: str) -> str:
    """Return source text with every identifier replaced by its C++ name."""
    return _WORD.sub(lambda match: cpp_name(match.group()), text)


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
