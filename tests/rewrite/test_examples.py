"""Every rule has a one-line description and a current example."""

from __future__ import annotations

import pytest

from porter.rewrite.rule import Rule
from porter.rewrite.rules import RULES
from porter.rewrite.unit import collect_edits

from .support import apply_rule, parse, whole_program


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_example_is_what_the_rule_does(rule: type[Rule]) -> None:
    assert apply_rule(rule, rule.example.before) == rule.example.after


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_description_is_one_line(rule: type[Rule]) -> None:
    description = rule.__doc__ or ""
    assert description.endswith(".")
    assert "\n" not in description


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_edits_carry_the_rule_and_do_not_depend_on_the_run(rule: type[Rule]) -> None:
    unit = parse(rule.example.before)
    program = whole_program(unit)
    edits = collect_edits(unit, program, [rule])
    assert {edit.rule for edit in edits} <= {rule.name}
    assert edits == collect_edits(unit, program, [rule])


def test_names_are_unique() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
