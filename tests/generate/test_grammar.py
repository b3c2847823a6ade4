"""The table of first tokens agrees with upstream's grammar, and does not change any parse."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.config import BuildConfig
from porter.errors import GenerateFailed
from porter.generate import Layout, generate
from porter.generate.genhdr import preprocessed_grammar
from porter.generate.grammar_tables import Grammar, first_tokens_header
from porter.generate.preprocessor import preprocessor_flags
from tests.generate.parsing import Parser, compare, damaged_sentences

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
    # It begins with an optional part, so it is tried for every token.
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


def test_the_table_changes_no_parse(release: str, tmp_path: Path) -> None:
    layout = Layout.of(release, tmp_path / "build")
    units = generate(BuildConfig(release=release), layout)
    text = preprocessed_grammar(preprocessor_flags(layout, units.defines))
    assert (layout.genhdr / "firsttokens.h").read_text() == first_tokens_header(text)
    grammar = Grammar.read(text)
    assert len(grammar.rules) > 100 and len(grammar.tokens) > 80
    before, after = Parser(grammar, asks=False), Parser(grammar, asks=True)
    compare((before, after), damaged_sentences(grammar, 1, 1500))
    assert after.tries < before.tries / 1.5
