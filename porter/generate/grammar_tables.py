"""Generate tables of upstream's grammar (py/grammar.h) that speed up its parser.

One table has the tokens that can begin each rule. The others let the parser push or pop a chain of
rules in one step.

Upstream's parser (`mp_parse`, py/parse.c) tries the alternatives of a choice one by one. A wrong
alternative fails only when a nested rule meets an unexpected token: up to twenty failed attempts
per statement, and as many per operand. The patch `parsing` consults the table of tokens first.

A name as the argument of a call is about fifteen rules deep for upstream's parser (`mp_parse`,
py/parse.c): each rule begins with the next one. The parser pushes these rules one by one, and pops
them one by one if nothing but the name follows. The first token determines which rules these are.
The token after the name determines which rule continues, if any. The patch `parsing` looks up
both in the tables that this module writes (genhdr/rulechains.h).
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
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
            hint="porter/generate/grammar_tables.py says which tokens begin a rule of each kind.",
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


_NO_LEVEL = 255
_MOST = 256  # chains that fit the tables' 8-bit numbers
_TABLES = """\
// Written by porter (porter/generate): chains of rules that begin with one another. Each
// byte of a text is a number. Tokens of one class are alike in all of these tables.
typedef char gpusnek_tokens_in_order[({tokens_in_order}) ? 1 : -1];
static const char gpusnek_token_class[] = {classes};
// Rules are their numbers in py/parse.c.
typedef char gpusnek_rules_in_order[({rules_in_order}) ? 1 : -1];
// By rules and classes: the chain that a rule begins, and what it leads to.
static const char gpusnek_chain[][{width} + 1] = {{
{chains}
}};
static const char gpusnek_chain_last[][{width} + 1] = {{
{lasts}
}};
// Of each chain how many rules it has, and these, outermost first.
static const char gpusnek_chain_length[] = {lengths};
static const char gpusnek_chain_rule[][{longest} + 1] = {{
{rules}
}};
// By chains and classes: which of the chain's rules goes on with a token; {none} where none does.
static const char gpusnek_chain_level[][{width} + 1] = {{
{levels}
}};
"""


@frozen(slots=False)
class Chains:
    """The chains of a grammar. A chain is a tuple of rule names, outermost first."""

    grammar: Grammar

    def of(self, rule: GrammarRule, token: str) -> tuple[tuple[str, ...], str]:
        """Return the chain that `rule` begins before `token`, and the rule below the chain.

        Each rule of the chain is equal to its first part unless it continues after this part. The
        rule below the chain is parsed as usual; it is a choice or any other rule.
        """
        passed: list[str] = []
        taken: frozenset[str] = frozenset()
        while token in self.grammar.first_tokens(rule):
            goes_on = self.continuation(rule)
            if goes_on is not None and not goes_on & taken:
                passed.append(rule.name)
                taken |= goes_on
                rule = self.grammar.by_name[rule.parts[0].name]
            elif (only := self._only_choice(rule, token)) is not None:
                rule = only
            else:
                break
        return tuple(passed), rule.name

    def continuation(self, rule: GrammarRule) -> frozenset[str] | None:
        """Return the tokens that continue a rule after its first part.

        None if the rule does not begin with a rule, or adds something to its first part even where
        nothing continues it.
        """
        if not rule.parts or rule.parts[0].kind != "rule":
            return None
        if rule.kind in ("list", "list_with_end"):
            followers = rule.parts[1:]
        elif rule.kind == "one_or_more":
            followers = rule.parts
        elif rule.kind == "and_ident" and all(part.kind == "opt_rule" for part in rule.parts[1:]):
            followers = rule.parts[1:]
        else:
            return None
        found = frozenset[str]().union(*map(self.grammar.first_tokens_of, followers))
        return None if len(found) == len(self.grammar.tokens) else found

    def _only_choice(self, rule: GrammarRule, token: str) -> GrammarRule | None:
        """Return the only alternative of a choice that `token` can begin; None if not unique."""
        if rule.kind != "or":
            return None
        able = [part for part in rule.parts if token in self.grammar.first_tokens_of(part)]
        if len(able) == 1 and able[0].kind == "rule":
            return self.grammar.by_name[able[0].name]
        return None

    @cached_property
    def begun(self) -> Sequence[Mapping[str, tuple[tuple[str, ...], str]]]:
        """The results of `of` by token: one mapping per rule, in order."""
        tokens = self.grammar.tokens
        return [{token: self.of(rule, token) for token in tokens} for rule in self.grammar.rules]

    @cached_property
    def numbers(self) -> Mapping[tuple[str, ...], int]:
        """The number of each chain."""
        chains = dict.fromkeys(chain for row in self.begun for chain, _ in row.values())
        if len(chains) > _MOST:
            raise GenerateFailed(
                f"upstream's grammar has {len(chains)} chains of rules, and {_MOST} fit the tables",
                hint="Let porter/generate/grammar_tables.py write numbers of 16 bits.",
            )
        return {chain: number for number, chain in enumerate(chains)}

    def level(self, chain: tuple[str, ...], token: str) -> int:
        """Return the index of the rule in a chain that continues with `token`, or _NO_LEVEL."""
        for i, name in enumerate(chain):
            if token in (self.continuation(self.grammar.by_name[name]) or ()):
                return i
        return _NO_LEVEL

    @cached_property
    def classes(self) -> Mapping[str, int]:
        """The class of each token. Tokens of one class have equal entries in all tables."""
        kinds: dict[Hashable, int] = {}
        found = {}
        for token in self.grammar.tokens:
            alike = (
                tuple(row[token] for row in self.begun),
                tuple(self.level(chain, token) for chain in self.numbers),
            )
            found[token] = kinds.setdefault(alike, len(kinds))
        return found


def chains_header(grammar: Grammar) -> str:
    """Return the header for a grammar. Raises GenerateFailed where the tables cannot hold it."""
    chains = Chains(grammar)
    first = {number: token for token, number in reversed(list(chains.classes.items()))}
    columns = [first[number] for number in range(len(first))]  # a token of each class

    def rows(named: Iterable[tuple[str, Iterable[int]]]) -> str:
        return "\n".join(f"    {_text(row)}, // {name}" for name, row in named)

    begun = [
        (rule.name, [row[token] for token in columns])
        for rule, row in zip(grammar.rules, chains.begun, strict=True)
    ]
    numbers = {rule.name: number for number, rule in enumerate(grammar.rules)}
    named = [(" ".join(chain), chain) for chain in chains.numbers]
    return _TABLES.format(
        tokens_in_order=_in_order("MP_TOKEN", grammar.tokens),
        classes=_text(chains.classes[token] for token in grammar.tokens),
        rules_in_order=_in_order("RULE", numbers),
        width=len(columns),
        chains=rows((name, [chains.numbers[chain] for chain, _ in row]) for name, row in begun),
        lasts=rows((name, [numbers[last] for _, last in row]) for name, row in begun),
        lengths=_text(len(chain) for chain in chains.numbers),
        longest=max(map(len, chains.numbers)),
        rules=rows((name, [numbers[rule] for rule in chain]) for name, chain in named),
        none=_NO_LEVEL,
        levels=rows(
            (name, [chains.level(chain, token) for token in columns]) for name, chain in named
        ),
    )


def _text(numbers: Iterable[int]) -> str:
    """Return bytes as a C string: shorter than a list, and a single token for the rewriter."""
    return '"' + "".join(f"\\{number:03o}" for number in numbers) + '"'


def _in_order(prefix: str, names: Iterable[str]) -> str:
    return " && ".join(f"{prefix}_{name} == {number}" for number, name in enumerate(names))
