"""A construct that a rule refuses is an error with upstream's place, the rule and the construct."""

from __future__ import annotations

import inspect

import pytest

from porter.errors import PreprocessFailed, UnknownConstruct
from porter.rewrite import rules
from porter.rewrite.unit import rewrite_unit, unit_facts

from .case import Refused
from .cases import REFUSED
from .support import parse, whole_program


@pytest.mark.parametrize(
    ("rule", "case"), REFUSED, ids=[f"{rule}: {case.reason}" for rule, case in REFUSED]
)
def test_refused(rule: str, case: Refused) -> None:
    unit = parse(f'# 12 "py/up.c"\n{case.text}\n')
    with pytest.raises(UnknownConstruct) as caught:
        unit_facts(unit)
        rewrite_unit(unit, whole_program(unit))
    error = caught.value
    line, column = case.place
    assert (error.rule, error.file) == (rule, "py/up.c")
    assert case.reason in error.reason
    assert error.construct == case.construct
    assert (error.line, error.column) == (11 + line, column)
    assert str(error).startswith(f"py/up.c:{11 + line}:{column}: {rule}: ")


def test_every_rule_that_refuses_is_here() -> None:
    """A rule whose class refuses constructs needs a case."""
    refusing = [one.name for one in rules.RULES if "raise self.refuse" in inspect.getsource(one)]
    assert len(refusing) > 5
    assert set(refusing) <= {rule for rule, _ in REFUSED}


def test_c_that_libclang_refuses_names_the_place() -> None:
    with pytest.raises(PreprocessFailed, match=r"unit: libclang cannot read the unit.*expected"):
        parse("int f( { return 1; }")


def test_nested_functions_are_refused() -> None:
    with pytest.raises(PreprocessFailed, match="function definition is not allowed here"):
        parse("int f(void) { int g(void) { return 1; } return g(); }")
