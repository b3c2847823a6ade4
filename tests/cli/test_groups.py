"""`porter --help` lists every command once, under the heading for its audience."""

from __future__ import annotations

import re
from collections import Counter

import click
import pytest
from click.testing import CliRunner

from porter import cli
from porter.cli._groups import GROUPS, REST, grouped


def commands() -> list[str]:
    return cli.group.list_commands(click.Context(cli.group))


def test_every_command_is_in_one_group_and_every_name_is_a_command() -> None:
    named = Counter(name for names in GROUPS.values() for name in names)
    missing = sorted(set(commands()) - set(named))
    assert not missing, f"{missing}: porter/cli/_groups.py names no group for these"
    assert not set(named) - set(commands()), "groups name commands that do not exist"
    assert set(named.values()) == {1}


@pytest.mark.parametrize("width", [80, 40])
def test_help_shows_each_under_its_heading(width: int) -> None:
    shown = CliRunner().invoke(cli.group, ["--help"], terminal_width=width).output
    heading, found = "", {}
    for line in shown.splitlines():
        if match := re.match(r"(\w.*):$", line):
            heading = match[1]
        elif match := re.match(r"  ([a-z][\w-]*)(  |$)", line):
            found[match[1]] = heading
    assert found == {name: title for title, names in GROUPS.items() for name in names}


def test_a_command_without_a_group_is_listed_last() -> None:
    assert [*grouped(["run", "unheard-of"])] == [("Run programs", ["run"]), (REST, ["unheard-of"])]
