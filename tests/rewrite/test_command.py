"""`porter rules`, and the page that it updates."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from porter.base import paths
from porter.cli.rules import command
from porter.errors import UsageError
from porter.rewrite.rule_reference import edits_table, put_between, rules_text
from porter.rewrite.rules import RULES


def test_lists_the_rules_in_order() -> None:
    result = CliRunner().invoke(command, [], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    rows = [line.split()[:2] for line in result.output.splitlines()[1:]]
    assert rows == [[str(number), rule.name] for number, rule in enumerate(RULES, 1)]


def test_a_release_without_edits_makes_no_sense() -> None:
    result = CliRunner().invoke(command, ["--release", "1.26.1"])
    assert isinstance(result.exception, UsageError)


def test_table_shows_rules_by_releases() -> None:
    table = edits_table({"1.0": {"casts": 1200}, "2.0": {"casts": 3, "jumps": 4}})
    assert "| rule | 1.0 | 2.0 |" in table
    assert "| casts | 1,200 | 3 |" in table
    assert "| **all** | 1,200 | 7 |" in table


def test_content_goes_between_its_markers() -> None:
    text = "a\n<!-- x -->\nold\n<!-- end of x -->\nb\n"
    assert put_between(text, "x", "new\n") == ("a\n<!-- x -->\n\nnew\n\n<!-- end of x -->\nb\n")
    with pytest.raises(ValueError, match="no markers"):
        put_between(text, "y", "new\n")


def test_page_has_the_examples_of_today() -> None:
    home = paths.checkout()
    assert home is not None
    text = (home / "docs" / "reference" / "rules.md").read_text()
    assert put_between(text, "rules", rules_text()) == text, "run `porter rules --write`"
