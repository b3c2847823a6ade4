"""Upstream's parser, step by step, and sentences of its grammar."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from porter.generate.grammar_tables import Chains, Grammar, GrammarRule, RulePart


class Refused(Exception):
    """A syntax error, with the number of tokens before it."""


class Parser:
    """Upstream's mp_parse (py/parse.c) step by step, unchanged or with tables.

    Attributes:
        asks: Whether to consult the tokens that begin a rule (genhdr/firsttokens.h).
        chains: The chains of rules (genhdr/rulechains.h), if `goes`.
        tries: The number of rules that were tried.
    """

    def __init__(self, grammar: Grammar, *, asks: bool, goes: bool = False) -> None:
        self.rules = grammar.by_name
        self.first = {name: grammar.first_tokens(rule) for name, rule in self.rules.items()}
        self.asks = asks
        self.chains = Chains(grammar) if goes else None
        self.tries = 0

    def begins(self, part: RulePart, token: str) -> bool:
        """Return whether a part may begin with the token."""
        if part.kind == "tok":
            return part.name == token
        return not self.asks or token in self.first[part.name]

    def parse(self, top: str, tokens: Sequence[str]) -> tuple[Any, int]:
        """Return the tree, and the number of its tokens; raise Refused on a syntax error."""
        self.tokens, self.at = tokens, 0
        found, tree = self.match(self.rules[top])
        if not found:
            raise Refused(self.at)
        return tree, self.at

    def match(self, rule: GrammarRule) -> tuple[bool, Any]:
        """Return whether a rule matches, and its tree; after taking a token it may not fail."""
        self.tries += 1
        if rule.kind == "or":
            for part in rule.parts:
                if self.begins(part, self.tokens[self.at]):
                    found, tree = self.one(part)
                    if found:
                        return True, tree
            return False, None
        return self.some(rule) if rule.kind[:3] != "and" else self.all_of(rule)

    def one(self, part: RulePart) -> tuple[bool, Any]:
        """Match a part, like `match`."""
        if part.kind != "tok":
            rule = self.rules[part.name]
            return self.match(rule) if self.chains is None else self.along(self.chains, rule)
        if self.tokens[self.at] != part.name:
            return False, None
        self.at += 1
        return True, part.name

    def along(self, chains: Chains, rule: GrammarRule) -> tuple[bool, Any]:
        """Match a rule, like `match`, by the chain that it begins."""
        chain, last = chains.of(rule, self.tokens[self.at])
        found, tree = self.match(self.rules[last])
        if not found:
            return False, None
        left = len(chain)
        while left > 0:
            level = chains.level(chain, self.tokens[self.at])
            # A rule that does not continue equals its first part; rules above the level wait for
            # its end.
            inner = max(level + 1, 0) if level < left else 0
            for name in reversed(chain[inner:left]):
                tree = self.alone(self.rules[name], tree)
            if level < left:
                self.tries += 1
                rule = self.rules[chain[level]]
                going_on = self.all_of if rule.kind[:3] == "and" else self.some
                found, tree = going_on(rule, tree)
                assert found
            left = inner - 1
        return True, tree

    def alone(self, rule: GrammarRule, tree: Any) -> Any:
        """Return the tree of a rule that ends after its first part."""
        missing = len(rule.parts) - 1 if rule.kind[:3] == "and" else 0
        return (rule.name, tree, *(None for _ in range(missing)))

    def all_of(self, rule: GrammarRule, first: Any = None) -> tuple[bool, Any]:
        """Match a sequence, whose first part may be done."""
        trees = [] if first is None else [first]
        for i, part in enumerate(rule.parts):
            if i < len(trees):
                continue
            optional = part.kind == "opt_rule"
            tried = not optional or self.begins(part, self.tokens[self.at])
            found, tree = self.one(part) if tried else (False, None)
            if not found and not optional:
                if i > 0:
                    raise Refused(self.at)
                return False, None
            trees.append(tree)
        return True, (rule.name, *trees)

    def some(self, rule: GrammarRule, first: Any = None) -> tuple[bool, Any]:
        """Match a list."""
        item = rule.parts[0]
        separator = rule.parts[1] if rule.kind != "one_or_more" else None
        found, tree = self.one(item) if first is None else (True, first)
        trees = [tree]
        if not found:
            return False, None
        while True:
            if separator is not None:
                tried = self.begins(separator, self.tokens[self.at])
                found, tree = self.one(separator) if tried else (False, None)
                if not found:
                    return True, (rule.name, *trees)
                trees.append(tree)
            tried = self.begins(item, self.tokens[self.at])
            found, tree = self.one(item) if tried else (False, None)
            if not found:
                if separator is not None and rule.kind == "list":
                    raise Refused(self.at)
                return True, (rule.name, *trees)
            trees.append(tree)


def sentence(grammar: Grammar, rule: GrammarRule, chance: random.Random, depth: int) -> list[str]:
    """Return tokens of a sentence of a rule."""

    def of(part: RulePart) -> list[str]:
        if part.kind == "tok":
            return [part.name]
        return sentence(grammar, grammar.by_name[part.name], chance, depth - 1)

    if rule.kind == "or":
        # The part with the least nesting is first or last.
        return of(chance.choice(rule.parts) if depth > 0 else shallowest(grammar, rule))
    if rule.kind[:3] == "and":
        kept = [
            part for part in rule.parts
            if part.kind != "opt_rule" or (depth > 0 and chance.random() < 0.3)
        ]  # fmt: skip
        return [token for part in kept for token in of(part)]
    tokens = of(rule.parts[0])
    while depth > 0 and chance.random() < 0.25:
        for part in (*rule.parts[1:], rule.parts[0]):
            tokens += of(part)
    return tokens


def shallowest(grammar: Grammar, rule: GrammarRule) -> RulePart:
    """Return the choice that ends a sentence soonest."""

    def height(part: RulePart, seen: frozenset[str]) -> float:
        if part.kind == "tok":
            return 0
        if part.name in seen:
            return float("inf")
        rule, inner = grammar.by_name[part.name], seen | {part.name}
        below = [height(p, inner) for p in rule.parts if p.kind != "opt_rule"] or [0]
        if rule.kind == "or":
            return 1 + min(below)
        return 1 + (max(below) if rule.kind[:3] == "and" else below[0])

    return min(rule.parts, key=lambda part: height(part, frozenset({rule.name})))


def damaged_sentences(grammar: Grammar, seed: int, count: int) -> Iterator[tuple[str, list[str]]]:
    """Yield start rules with tokens: sentences, and sentences with changed tokens."""
    chance = random.Random(seed)
    for _ in range(count):
        top = chance.choice(("single_input", "file_input", "eval_input"))
        tokens = sentence(grammar, grammar.by_name[top], chance, 20)[:300]
        for _ in range(chance.choice((0, 0, 1, 2, 4)) if tokens else 0):
            at = chance.randrange(len(tokens))
            tokens[at : at + chance.randrange(2)] = chance.choices(
                grammar.tokens, k=chance.randrange(3)
            )
            tokens = tokens or ["END"]
        yield top, [*tokens, "END", "END"]


def compare(parsers: Sequence[Parser], sentences: Iterator[tuple[str, list[str]]]) -> None:
    """Assert that all make the same trees of all sentences, or refuse them at the same token."""
    parsed = refused = 0
    for top, tokens in sentences:
        outcomes: list[tuple[Any, ...]] = []
        for parser in parsers:
            try:
                outcomes.append(parser.parse(top, tokens))
            except Refused as error:
                outcomes.append(error.args)
        assert all(outcome == outcomes[0] for outcome in outcomes), tokens
        parsed += len(outcomes[0]) == 2
        refused += len(outcomes[0]) == 1
    assert parsed > 300 and refused > 100
