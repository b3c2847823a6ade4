"""Names and tokens of a unit: C++ keywords among C identifiers, and token patterns."""

from __future__ import annotations

import re

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
