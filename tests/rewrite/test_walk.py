"""The walk: the nodes that each rule gets, the order of edits, and the reported failure."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from porter.errors import UnknownConstruct
from porter.rewrite.edit import Edit, insert
from porter.rewrite.engine import apply_edits
from porter.rewrite.program import WholeProgram
from porter.rewrite.rule import Rule, on, on_body
from porter.rewrite.rules import RULES
from porter.rewrite.unit import collect_edits
from porter.syntax import Node
from porter.syntax.node import CursorKind as K

from .support import apply_rule, parse

TEXT = "int g(int a); int f(int a) { return g(a + 1) + 2; }"


class Numbers(Rule):
    """A rule that marks every number, call and body, and both ends of the walk."""

    name = "numbers"

    def before_walk(self) -> Iterator[Edit]:
        yield insert(0, "<", self.name)

    @on(K.INTEGER_LITERAL, K.CALL_EXPR)
    def marked(self, node: Node) -> Iterator[Edit]:
        yield insert(node.start, "!" if node.kind == K.CALL_EXPR else "#", self.name)

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        yield insert(block.start, f"{function.spelling}:", self.name)

    def after_walk(self) -> Iterator[Edit]:
        yield insert(0, ">", self.name)


class Early(Rule):
    """A rule that refuses the last number."""

    name = "early"

    @on(K.INTEGER_LITERAL)
    def number(self, node: Node) -> Iterator[Edit]:
        if node.text == "2":
            raise self.refuse(node, "the last number")
        yield insert(node.start, "+", self.name)


class Late(Rule):
    """A rule that refuses the first declaration, which the walk reaches before any number."""

    name = "late"

    @on(K.FUNCTION_DECL)
    def function(self, node: Node) -> Iterator[Edit]:
        yield insert(node.start, "-", self.name)
        raise self.refuse(node, "the first function")


class Broken(Rule):
    """A rule with a defect: it fails at the end of its walk."""

    name = "broken"

    def after_walk(self) -> Iterator[Edit]:
        raise RuntimeError("broken")


def test_a_rule_is_asked_for_its_kinds_alone() -> None:
    assert apply_rule(Numbers, TEXT) == (
        "<>int g(int a); int f(int a) f:{ return !g(a + #1) + #2; }"
    )


def test_edits_come_in_the_order_of_the_rules() -> None:
    edits = collect_edits(parse("int f(void) { return 1; }"), WholeProgram(), [Numbers, Early])
    assert [edit.rule for edit in edits] == ["numbers"] * 4 + ["early"]


@pytest.mark.parametrize(
    ("rules", "raised"), [((Early, Late), "the last number"), ((Late, Early), "the first function")]
)
def test_the_first_rule_that_fails_is_heard(rules: tuple[type[Rule], ...], raised: str) -> None:
    """The reported failure is that of the first rule, wherever in the unit each rule fails."""
    with pytest.raises(UnknownConstruct, match=raised):
        collect_edits(parse(TEXT), WholeProgram(), rules)


def test_a_rules_own_mistake_does_not_hide_an_earlier_refusal() -> None:
    with pytest.raises(UnknownConstruct, match="the last number"):
        collect_edits(parse(TEXT), WholeProgram(), [Early, Broken])
    with pytest.raises(RuntimeError, match="broken"):
        collect_edits(parse("int x;"), WholeProgram(), [Broken, Early])


def test_a_rule_can_be_added_behind_all_others() -> None:
    text = "static int n; int f(void) { return n + 1; }"
    unit = parse(text)
    written = apply_edits("unit", text, collect_edits(unit, WholeProgram(), [*RULES, Numbers]))
    assert "f:{ return n + #1; }" in written
