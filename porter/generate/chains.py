"""Generate tables that let upstream's parser push or pop a chain of grammar rules in one step.

A name as the argument of a call is about fifteen rules deep for upstream's parser (`mp_parse`,
py/parse.c): each rule begins with the next one. The parser pushes these rules one by one, and pops
them one by one if nothing but the name follows. The first token determines which rules these are.
The token after the name determines which rule continues, if any. The patch `grammar-tables` looks
up both in the tables that this module writes (genhdr/rulechains.h).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property

from attrs import frozen

from porter.errors import GenerateFailed
from porter.generate.grammar import Grammar, GrammarRule

_NO_LEVEL = 255
_MOST = 256  # chains that fit the tables' 8-bit numbers
_TABLES = """\
// Written by porter (porter/generate/chains.py): chains of rules that begin with one another. Each
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
        """For each rule, in order: the result of `of` by token."""
        tokens = self.grammar.tokens
        return [{token: self.of(rule, token) for token in tokens} for rule in self.grammar.rules]

    @cached_property
    def numbers(self) -> Mapping[tuple[str, ...], int]:
        """The number of each chain."""
        chains = dict.fromkeys(chain for row in self.begun for chain, _ in row.values())
        if len(chains) > _MOST:
            raise GenerateFailed(
                f"upstream's grammar has {len(chains)} chains of rules, and {_MOST} fit the tables",
                hint="Let porter/generate/chains.py write numbers of 16 bits.",
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
