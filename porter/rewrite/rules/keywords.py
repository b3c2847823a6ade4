"""Rule `keywords`: rename identifiers that are C++ keywords."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, replace
from porter.rewrite.names import CPP_KEYWORDS, TOKEN, cpp_name
from porter.rewrite.rule import Example, Rule
from porter.syntax.span import Span

C_SPELLINGS = {
    "_Bool": "bool",
    "_Static_assert": "static_assert",
    "_Alignof": "alignof",
    "_Alignas": "alignas",
    "restrict": "__restrict__",
    "register": "",
}
# Upstream undefines the macro of Porter's header; both compilers' headers declare the function.
C_FUNCTIONS = frozenset({"putchar"})


class Keywords(Rule):
    """Renames identifiers that are C++ keywords, and spells C's own keywords as C++ does."""

    name = "keywords"
    example = Example("int new; _Bool class;", "int new_; bool class_;")

    def before_walk(self) -> Iterator[Edit]:
        """Rename by token, because many names have no node of their own."""
        for match in TOKEN.finditer(self.unit.text):
            word = match.group()
            span = Span(*match.span())
            if word in CPP_KEYWORDS:
                yield replace(span, self.name, cpp_name(word))
            elif word in C_FUNCTIONS:
                yield replace(span, self.name, f"porter_{word}")
            elif word in C_SPELLINGS:
                yield replace(span, self.name, C_SPELLINGS[word])
