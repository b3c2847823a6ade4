"""The chains of rules agree with upstream's grammar, and do not change any parse."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.config import BuildConfig
from porter.errors import GenerateFailed
from porter.generate import Layout, generate
from porter.generate.genhdr import preprocessed_grammar
from porter.generate.grammar_tables import Chains, Grammar, chains_header
from porter.generate.preprocessor import preprocessor_flags
from tests.generate.parsing import Parser, compare, damaged_sentences

SMALL = """\
typedef enum { MP_TOKEN_END, MP_TOKEN_NAME, MP_TOKEN_PLUS, MP_TOKEN_STAR, MP_TOKEN_NOT,
    MP_TOKEN_COMMA, MP_TOKEN_DOT, } mp_token_kind_t;
PORTER_RULE all list_with_end : rule(sum), tok(COMMA)
PORTER_RULE sum list : rule(product), tok(PLUS)
PORTER_RULE product list : rule(operand), tok(STAR)
PORTER_RULE operand or(2) : rule(negated), rule(value)
PORTER_RULE negated and_ident(2) : tok(NOT), rule(operand)
PORTER_RULE value and_ident(2) : rule(name), opt_rule(parts)
PORTER_RULE name or(1) : tok(NAME)
PORTER_RULE parts one_or_more : rule(part)
PORTER_RULE part and(2) : tok(DOT), tok(NAME)
PORTER_RULE twice list : rule(all), tok(COMMA)
PORTER_RULE const_object none :
"""


@pytest.fixture
def small() -> Chains:
    return Chains(Grammar.read(SMALL))


@pytest.mark.parametrize(
    ("rule", "token", "chain", "last"),
    [
        ("all", "NAME", ("all", "sum", "product", "value"), "name"),
        ("all", "NOT", ("all", "sum", "product"), "negated"),
        ("operand", "NAME", ("value",), "name"),
        ("parts", "DOT", ("parts",), "part"),
        ("negated", "NOT", (), "negated"),
        ("part", "DOT", (), "part"),
        # A rule that cannot begin with the token is tried alone, and fails.
        ("all", "PLUS", (), "all"),
        # A comma could belong to either rule, so the inner one is not in the chain.
        ("twice", "NAME", ("twice",), "all"),
    ],
)
def test_chains(small: Chains, rule: str, token: str, chain: tuple[str, ...], last: str) -> None:
    assert small.of(small.grammar.by_name[rule], token) == (chain, last)


def test_which_rule_goes_on(small: Chains) -> None:
    chain = ("all", "sum", "product", "value")
    levels = {token: small.level(chain, token) for token in small.grammar.tokens}
    assert levels == {
        "END": 255, "NAME": 255, "NOT": 255, "COMMA": 0, "PLUS": 1, "STAR": 2, "DOT": 3,
    }  # fmt: skip


def test_tokens_of_a_class_are_alike(small: Chains) -> None:
    assert len(set(small.classes.values())) == len(small.grammar.tokens)  # here no two are
    header = chains_header(small.grammar)
    assert "MP_TOKEN_DOT == 6" in header
    assert r'gpusnek_token_class[] = "\000\001\002\003\004\005\006";' in header
    row = next(line for line in header.splitlines() if line.endswith("// all sum product value"))
    assert row.strip().startswith(r'"\000\001\002\005"')  # by the rules' numbers


def test_more_chains_than_a_byte_numbers() -> None:
    tokens = ", ".join(f"MP_TOKEN_T{i}" for i in range(300))
    rules = "\n".join(f"PORTER_RULE r{i} list : rule(name), tok(T{i})" for i in range(300))
    text = f"enum {{ {tokens}, MP_TOKEN_NAME }};\n{rules}\nPORTER_RULE name and(1) : tok(NAME)\n"
    with pytest.raises(GenerateFailed, match="301 chains of rules, and 256 fit"):
        chains_header(Grammar.read(text))


def test_chains_change_no_parse(release: str, tmp_path: Path) -> None:
    layout = Layout.of(release, tmp_path / "build")
    units = generate(BuildConfig(release=release), layout)
    grammar = Grammar.read(preprocessed_grammar(preprocessor_flags(layout, units.defines)))
    assert (layout.genhdr / "rulechains.h").read_text() == chains_header(grammar)
    chain, last = Chains(grammar).of(grammar.by_name["arglist"], "NAME")
    assert len(chain) > 12 and last == "atom"
    by_tries, by_chains = Parser(grammar, asks=True), Parser(grammar, asks=True, goes=True)
    compare((by_tries, by_chains), damaged_sentences(grammar, 2, 1500))
    assert by_chains.tries < by_tries.tries / 2
