"""Refuses what no rule rewrites and the compilers would read as something else, or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.rewrite.edit import Edit, Span
from porter.rewrite.names import ATTRIBUTE, CPP_KEYWORDS, TOKEN, cpp_name
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, Unit

_WORDS = {
    "_Generic": "a generic selection",
    "_Atomic": "an atomic type",
    "_Complex": "a complex type",
    "_Imaginary": "an imaginary type",
    "_Thread_local": "a variable of a thread",
    "__thread": "a variable of a thread",
    "__auto_type": "a type that the compiler finds",
    "__label__": "a label of a block",
    "__builtin_choose_expr": "a choice between expressions",
    "__builtin_types_compatible_p": "a comparison of types",
    # C's and C++'s types of an expression differ: `'a'` and `a == b` are int in C.
    "typeof": "the type of an expression",
    "__typeof": "the type of an expression",
    "__typeof__": "the type of an expression",
}
_ATTRIBUTES = {
    "alias": "another name for a function",
    "cleanup": "a destructor, which C does not run when it unwinds",
    "constructor": "a function that runs before there is a state",
    "destructor": "a function that runs after there is a state",
    # A function that unwinds returns zero and has changed the state.
    "const": "a promise that a function does not raise",
    "pure": "a promise that a function does not raise",
    "returns_nonnull": "a promise that a function does not return null",
}
_OUR_NAMES = re.compile(
    r"(?:r_|(?:array|literal|type)_\d+_|porter_(?:kind|value|(?:landing|buffer)_\d+))\Z"
)
_NODES = {
    K.ADDR_LABEL_EXPR: "the address of a label",
    K.INDIRECT_GOTO_STMT: "a jump to an address",
}
_EMPTY_ASM = re.compile(r'\w+\s*(?:__volatile__|volatile)?\s*\(\s*""')


class Unknown(Rule):
    """Refuses constructs that C++ lacks or means differently and that no rule rewrites."""

    name = "unknown"
    example = Example("int f(void) { return 1; }", "int f(void) { return 1; }")

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        self._words(unit)
        for match in ATTRIBUTE.finditer(unit.text):
            for word in re.finditer(r"\w+", match.group(1)):
                reason = _ATTRIBUTES.get(word.group().strip("_"))
                if reason is not None:
                    raise self.refuse_at(unit, Span(*match.span()), reason)
        for node in unit.walk():
            reason = _NODES.get(node.kind) or self._node(node)
            if reason is not None:
                raise self.refuse(node, reason)
        yield from ()

    def _words(self, unit: Unit) -> None:
        words: dict[str, Span] = {}
        for match in TOKEN.finditer(unit.text):
            words.setdefault(match.group(), Span(*match.span()))
        for word, span in words.items():
            if word in _WORDS:
                raise self.refuse_at(unit, span, _WORDS[word])
            if _OUR_NAMES.match(word):
                raise self.refuse_at(unit, span, "a name that the rules use")
        for keyword in sorted(CPP_KEYWORDS & words.keys()):
            if cpp_name(keyword) in words:
                reason = f"the name that {keyword} gets in C++"
                raise self.refuse_at(unit, words[cpp_name(keyword)], reason)

    @staticmethod
    def _node(node: Node) -> str | None:
        if node.kind == K.ASM_STMT and not _EMPTY_ASM.match(node.text):
            return "assembly"
        record = node.kind in (K.STRUCT_DECL, K.UNION_DECL) and node.cursor.is_definition()
        if record and not list(node.type.get_fields()):
            return "a type without members, which has a size in C++"
        return None
