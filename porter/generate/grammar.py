"""Generate a table of the tokens that can begin each rule of upstream's grammar (py/grammar.h).

Upstream's parser (`mp_parse`, py/parse.c) tries the alternatives of a choice one by one. A wrong
alternative fails only when a nested rule meets an unexpected token: up to twenty failed attempts
per statement, and as many per operand. The patch `grammar-tables` consults this table first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from attrs import field, frozen

from porter.errors import GenerateFailed

# Input of the preprocessor. It turns upstream's rules into lines that `Grammar.read` parses. Rules
# with a compile function come first, as in the enumeration in py/parse.c.
SOURCE = """\
#include "py/lexer.h"
#define DEF_RULE(rule, compile, kind, ...) PORTER_RULE rule kind : __VA_ARGS__
#define DEF_RULE_NC(rule, kind, ...)
#include "py/grammar.h"
PORTER_RULE const_object none :
#undef DEF_RULE
#undef DEF_RULE_NC
#define DEF_RULE(rule, compile, kind, ...)
#define DEF_RULE_NC(rule, kind, ...) PORTER_RULE rule kind : __VA_ARGS__
#include "py/grammar.h"
"""

WORD_BITS = 64
_RULE = re.compile(r"^PORTER_RULE (\w+) (\w+)(?:\(\d+\))? :(.*)$", re.MULTILINE)
_PART = re.compile(r"\s*(tok|rule|opt_rule)\((\w+)\)\s*")
_TOKEN = re.compile(r"\bMP_TOKEN_(\w+)\b")
_CHOICE, _EMPTY = "or", "none"
_SEQUENCES = {"and", "and_ident", "and_blank", "list", "list_with_end", "one_or_more"}
_HEAD = """\
// Written by porter: the tokens that can begin each rule, by the rules' numbers in py/parse.c.
#define GPUSNEK_TOKEN(word, token) ((uint64_t)((token) / {bits} == (word)) << (token) % {bits})
#define GPUSNEK_TOKEN_WORDS ({words})
"""


@frozen
class RulePart:
    """A part of a rule. `kind` is tok, rule or opt_rule; `name` is a token's or a rule's name."""

    kind: str
    name: str


@frozen
class GrammarRule:
    """A rule. `kind` is upstream's word for the relation of its parts (or, and, list, ...)."""

    name: str
    kind: str
    parts: tuple[RulePart, ...]


@frozen(slots=False)
class Grammar:
    """The rules in the order of their numbers, and the names of all tokens."""

    rules: tuple[GrammarRule, ...]
    tokens: tuple[str, ...] = field(repr=False)

    @classmethod
    def read(cls, preprocessed: str) -> Grammar:
        """Parse the preprocessor's output for SOURCE. Raises GenerateFailed for any other text."""
        rules = tuple(_rule(*found) for found in _RULE.findall(preprocessed))
        if len(rules) < 2 or not any(rule.parts for rule in rules):
            raise GenerateFailed("upstream's py/grammar.h has no DEF_RULE lines that porter knows")
        grammar = cls(rules, tuple(dict.fromkeys(_TOKEN.findall(preprocessed))))
        for rule in rules:
            for part in rule.parts:
                known = grammar.tokens if part.kind == "tok" else grammar.by_name
                if part.name not in known:
                    raise GenerateFailed(f"py/grammar.h: rule {rule.name}: what is {part.name}?")
        return grammar

    @cached_property
    def by_name(self) -> Mapping[str, GrammarRule]:
        """The rules by name."""
        return {rule.name: rule for rule in self.rules}

    def first_tokens(self, rule: GrammarRule) -> frozenset[str]:
        """Return the tokens that can begin a rule; all tokens if its first part is optional.

        A rule with an optional first part reports a syntax error where other rules fail over to
        the next alternative. So the parser must always try it.
        """
        return self._firsts[rule.name]

    def first_tokens_of(self, part: RulePart) -> frozenset[str]:
        """Return the tokens that can begin a part of a rule."""
        if part.kind == "tok":
            return frozenset({part.name})
        return self._firsts[part.name]

    @cached_property
    def _firsts(self) -> Mapping[str, frozenset[str]]:
        return {rule.name: self._first(rule, frozenset()) for rule in self.rules}

    def _first(self, rule: GrammarRule, above: frozenset[str]) -> frozenset[str]:
        if rule.name in above:
            raise GenerateFailed(f"py/grammar.h: rule {rule.name} begins with itself")
        found: frozenset[str] = frozenset()
        for part in rule.parts if rule.kind == _CHOICE else rule.parts[:1]:
            if part.kind == "tok":
                found |= {part.name}
            elif part.kind == "rule":
                found |= self._first(self.by_name[part.name], above | {rule.name})
            else:
                return frozenset(self.tokens)
        return found


def _rule(name: str, kind: str, parts: str) -> GrammarRule:
    if kind != _CHOICE and kind != _EMPTY and kind not in _SEQUENCES:
        raise GenerateFailed(
            f"py/grammar.h: rule {name} is of a kind that porter does not know: {kind}",
            hint="porter/generate/grammar.py says which tokens begin a rule of each kind.",
        )
    found = []
    for text in parts.split(",") if parts.strip() else ():
        part = _PART.fullmatch(text)
        if part is None:
            raise GenerateFailed(f"py/grammar.h: rule {name}: {text.strip()} is no part of a rule")
        found.append(RulePart(*part.groups()))
    return GrammarRule(name, kind, tuple(found))


def first_tokens_header(preprocessed: str) -> str:
    """Return the header for a preprocessed grammar. Raises GenerateFailed."""
    grammar = Grammar.read(preprocessed)
    words = -(-len(grammar.tokens) // WORD_BITS)
    lines = [_HEAD.format(bits=WORD_BITS, words=words)]
    highest = (f"MP_TOKEN_{token} < {words * WORD_BITS}" for token in grammar.tokens)
    lines.append(f"typedef char gpusnek_tokens_fit[({' && '.join(highest)}) ? 1 : -1];\n")
    lines.append("static const uint64_t gpusnek_first_tokens[][GPUSNEK_TOKEN_WORDS] = {\n")
    for rule in grammar.rules:
        tokens = sorted(grammar.first_tokens(rule)) if rule.parts else []
        row = ", ".join(_word(word, tokens) for word in range(words))
        lines.append(f"    {{{row}}}, // {rule.name}\n")
    return "".join((*lines, "};\n"))


def _word(word: int, tokens: Iterable[str]) -> str:
    return " | ".join(f"GPUSNEK_TOKEN({word}, MP_TOKEN_{token})" for token in tokens) or "0"
