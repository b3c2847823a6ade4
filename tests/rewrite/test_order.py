"""The order of the rules: every rule has a place, and rules that meet declare their order."""

from __future__ import annotations

from importlib import import_module
from itertools import combinations
from pathlib import Path
from pkgutil import iter_modules

import pytest

from porter.rewrite import rules
from porter.rewrite.engine import apply_edits
from porter.rewrite.rule import Rule
from porter.rewrite.rules import ORDER, RULES
from porter.rewrite.unit import collect_edits

from .cases import MEETINGS, SNIPPETS
from .support import RULE, compile_cxx, parse, rewrite_all, whole_program

DECLARED = {(earlier.name, place.rule.name) for place in ORDER for earlier in place.after}
PLACES = {rule.name: number for number, rule in enumerate(RULES)}


def meetings(text: str) -> set[tuple[str, str]]:
    """Return the pairs of rules that edit one range of `text`, or insert at one offset."""
    unit = parse(text)
    found: dict[tuple[int, int], set[str]] = {}
    for edit in collect_edits(unit, whole_program(unit)):
        found.setdefault((edit.start, edit.end), set()).add(edit.rule)
    return {
        pair
        for names in found.values()
        for pair in combinations(sorted(names, key=lambda name: PLACES[name]), 2)
    }


def apply_two(text: str, first: str, second: str) -> str:
    unit = parse(text)
    edits = collect_edits(unit, whole_program(unit), [RULE[first], RULE[second]])
    return apply_edits("unit", text, edits)


def test_every_rule_has_one_place() -> None:
    names = [module.name for module in iter_modules(rules.__path__)]
    classes = [
        value
        for name in names
        for value in vars(import_module(f"{rules.__name__}.{name}")).values()
        if isinstance(value, type) and issubclass(value, Rule) and value is not Rule
    ]
    assert sorted(RULES, key=id) == sorted(classes, key=id)
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_every_place_has_a_reason_of_its_own() -> None:
    reasons = [place.reason for place in ORDER]
    assert all(reason.endswith(".") for reason in reasons)
    assert len(set(reasons)) == len(reasons)


def test_a_rule_stands_behind_those_that_it_must_follow() -> None:
    assert [pair for pair in DECLARED if PLACES[pair[0]] >= PLACES[pair[1]]] == []
    assert set(MEETINGS) == DECLARED


@pytest.mark.parametrize("pair", MEETINGS, ids="-".join)
def test_the_other_order_writes_other_cxx(pair: tuple[str, str]) -> None:
    text = MEETINGS[pair]
    assert pair in meetings(text)
    assert apply_two(text, *pair) != apply_two(text, *reversed(pair))


def test_rules_that_meet_say_so() -> None:
    """A new rule that edits the same place as another rule must declare which edit is the inner
    one.
    """
    texts = [*MEETINGS.values(), *(text for cases in SNIPPETS.values() for text in cases.values())]
    assert set().union(*map(meetings, texts)) == DECLARED


def test_gxx_takes_what_both_rules_wrote(tmp_path: Path) -> None:
    for number, text in enumerate(MEETINGS.values()):
        below = tmp_path / str(number)
        below.mkdir()
        compile_cxx(rewrite_all({"unit": text}).write(below), below)
