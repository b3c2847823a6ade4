"""Renames identifiers that are C++ keywords."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, Span, replace
from porter.rewrite.names import CPP_KEYWORDS, TOKEN, cpp_name
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.syntax.node import Unit

C_SPELLINGS = {
    "_Bool": "bool",
    "_Static_assert": "static_assert",
    "_Alignof": "alignof",
    "_Alignas": "alignas",
    "restrict": "__restrict__",
    "register": "",
}
# Upstream undefines our header's macro for this one; both compilers' headers predeclare it.
C_FUNCTIONS = frozenset({"putchar"})


class Keywords(Rule):
    """Renames identifiers that are C++ keywords, and spells C's own keywords as C++ does."""

    name = "keywords"
    example = Example("int new; _Bool class;", "int new_; bool class_;")

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for match in TOKEN.finditer(unit.text):
            word = match.group()
            span = Span(*match.span())
            if word in CPP_KEYWORDS:
                yield replace(span, self.name, cpp_name(word))
            elif word in C_FUNCTIONS:
                yield replace(span, self.name, f"porter_{word}")
            elif word in C_SPELLINGS:
                yield replace(span, self.name, C_SPELLINGS[word])
