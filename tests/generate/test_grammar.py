"""The table of tokens that begin rules: it is upstream's grammar's, and changes no parse."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from porter.config import BuildConfig
from porter.errors import GenerateFailed
from porter.generate import Layout, generate
from porter.generate.compiler import preprocessor_flags
from porter.generate.grammar import Grammar, GrammarRule, RulePart, first_tokens_header
from porter.generate.headers import preprocessed_grammar

SMALL = """\
typedef enum { MP_TOKEN_END, MP_TOKEN_NAME, MP_TOKEN_PLUS, MP_TOKEN_NOT, } mp_token_kind_t;
PORTER_RULE sum list : rule(operand), tok(PLUS)
PORTER_RULE const_object none :
PORTER_RULE operand or(2) : rule(negated), tok(NAME)
PORTER_RULE negated and_ident(2) : tok(NOT), rule(operand)
PORTER_RULE all and(2) : opt_rule(sum), tok(END)
"""


def test_first_tokens() -> None:
    grammar = Grammar.read(SMALL)
    assert grammar.tokens == ("END", "NAME", "PLUS", "NOT")
    first = {rule.name: set(grammar.first_tokens(rule)) for rule in grammar.rules}
    assert first["sum"] == first["operand"] == {"NAME", "NOT"}
    assert first["negated"] == {"NOT"}
    # It begins with what may be left out, so it is tried whatever comes.
    assert first["all"] == set(grammar.tokens)


def test_the_header_has_a_row_for_each_rule_in_upstreams_order() -> None:
    lines = first_tokens_header(SMALL).splitlines()
    rows = [line for line in lines if line.startswith("    {")]
    assert [row.split("// ")[1] for row in rows] == [
        "sum", "const_object", "operand", "negated", "all",
    ]  # fmt: skip
    assert rows[3].startswith("    {GPUSNEK_TOKEN(0, MP_TOKEN_NOT)},")
    assert rows[1].startswith("    {0}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("PORTER_RULE x some_of(2) : tok(NAME)", "rule x is of a kind .*: some_of"),
        ("PORTER_RULE x and(1) : maybe(NAME)", r"rule x: maybe\(NAME\) is no part"),
        ("PORTER_RULE x and(1) : rule(nothing)", "rule x: what is nothing"),
        ("PORTER_RULE x and(1) : tok(NOTHING)", "rule x: what is NOTHING"),
        ("PORTER_RULE x or(2) : tok(NAME), rule(x)", "rule x begins with itself"),
    ],
)
def test_what_the_grammar_has_no_rule_for(line: str, message: str) -> None:
    with pytest.raises(GenerateFailed, match=message):
        first_tokens_header(f"{SMALL}{line}\n")


def test_no_grammar() -> None:
    with pytest.raises(GenerateFailed, match="DEF_RULE"):
        first_tokens_header("enum { MP_TOKEN_END };")


class Refused(Exception):
    """A syntax error; how many tokens were taken before it."""


class Parser:
    """Upstream's mp_parse (py/parse.c) step by step, as it is or asking the table."""

    def __init__(self, grammar: Grammar, *, asks: bool) -> None:
        self.rules = grammar.by_name
        self.first = {name: grammar.first_tokens(rule) for name, rule in self.rules.items()}
        self.asks = asks
        self.tries = 0

    def begins(self, part: RulePart, token: str) -> bool:
        """Whether a part is worth a try."""
        if part.kind == "tok":
            return part.name == token
        return not self.asks or token in self.first[part.name]

    def parse(self, top: str, tokens: Sequence[str]) -> tuple[Any, int]:
        """The tree, and how many tokens it takes. Raises Refused."""
        self.tokens, self.at = tokens, 0
        found, tree = self.match(self.rules[top])
        if not found:
            raise Refused(self.at)
        return tree, self.at

    def match(self, rule: GrammarRule) -> tuple[bool, Any]:
        """Whether a rule fits here, and its tree; a rule that took a token may not fail."""
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
        """The same of a part."""
        if part.kind != "tok":
            return self.match(self.rules[part.name])
        if self.tokens[self.at] != part.name:
            return False, None
        self.at += 1
        return True, part.name

    def all_of(self, rule: GrammarRule) -> tuple[bool, Any]:
        """The same of a sequence."""
        trees = []
        for i, part in enumerate(rule.parts):
            optional = part.kind == "opt_rule"
            tried = not optional or self.begins(part, self.tokens[self.at])
            found, tree = self.one(part) if tried else (False, None)
            if not found and not optional:
                if i > 0:
                    raise Refused(self.at)
                return False, None
            trees.append(tree)
        return True, (rule.name, *trees)

    def some(self, rule: GrammarRule) -> tuple[bool, Any]:
        """The same of a list."""
        item = rule.parts[0]
        separator = rule.parts[1] if rule.kind != "one_or_more" else None
        found, tree = self.one(item)
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
    """Tokens that a rule takes."""

    def of(part: RulePart) -> list[str]:
        if part.kind == "tok":
            return [part.name]
        return sentence(grammar, grammar.by_name[part.name], chance, depth - 1)

    if rule.kind == "or":
        # The parts that nest least stand first or last.
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
    """The choice by which a sentence ends soonest."""

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


@pytest.mark.slow
def test_the_table_changes_no_parse(release: str, tmp_path: Path) -> None:
    layout = Layout.of(release, tmp_path / "build")
    units = generate(BuildConfig(release=release), layout)
    text = preprocessed_grammar(preprocessor_flags(layout, units.defines))
    assert (layout.genhdr / "firsttokens.h").read_text() == first_tokens_header(text)
    grammar = Grammar.read(text)
    assert len(grammar.rules) > 100 and len(grammar.tokens) > 80
    chance = random.Random(1)
    parsed = refused = 0
    before, after = Parser(grammar, asks=False), Parser(grammar, asks=True)
    for trial in range(1500):
        top = chance.choice(("single_input", "file_input", "eval_input"))
        tokens = sentence(grammar, grammar.by_name[top], chance, 20)[:300]
        for _ in range(chance.choice((0, 0, 1, 2, 4)) if tokens else 0):
            at = chance.randrange(len(tokens))
            tokens[at : at + chance.randrange(2)] = chance.choices(
                grammar.tokens, k=chance.randrange(3)
            )
            tokens = tokens or ["END"]
        outcomes: list[object] = []
        for parser in (before, after):
            try:
                outcomes.append(parser.parse(top, [*tokens, "END", "END"]))
            except Refused as error:
                outcomes.append(error.args)
        assert outcomes[0] == outcomes[1], (trial, tokens)
        if len(outcomes[0]) == 2:  # type: ignore[arg-type]
            parsed += 1
        else:
            refused += 1
    assert parsed > 300 and refused > 100
    assert after.tries < before.tries / 1.5
