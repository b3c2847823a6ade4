"""Exit codes: distinct, documented, and returned by the command line."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from pathlib import Path

import click
import pytest

from porter import cli
from porter.errors import (
    NotEnoughMemory,
    PorterError,
    UnknownConstruct,
    error_classes,
    exit_code_table,
)

DOCS = Path(__file__).parents[2] / "docs"


def test_every_error_has_its_own_code() -> None:
    codes = Counter(cls.exit_code for cls in error_classes())
    assert [code for code, count in codes.items() if count > 1] == []
    assert {0, 70, 130}.isdisjoint(codes)


def test_documented_table_is_the_classes() -> None:
    assert exit_code_table() in (DOCS / "reference" / "exit-codes.md").read_text()


def test_unknown_construct_says_where_and_crosses_processes() -> None:
    error = UnknownConstruct("py/vm.c", 12, 5, "designators", "x" * 500, hint="write a rule")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert str(error).startswith("py/vm.c:12:5: designators: ")
    assert len(str(error)) < 300
    assert (again.file, again.line, again.column, again.rule) == ("py/vm.c", 12, 5, "designators")
    assert again.construct == "x" * 500


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    """Return a command `porter fails` that raises the first item of this list."""
    raises: list[BaseException] = []

    @click.command()
    def command() -> None:
        raise raises[0]

    monkeypatch.setattr(cli.group, "get_command", lambda ctx, name: command)
    return raises


def test_error_becomes_message_hint_and_code(
    failing: list[BaseException], capsys: pytest.CaptureFixture[str]
) -> None:
    failing.append(NotEnoughMemory("too [many] interpreters", hint="use [fewer]"))
    assert cli.execute(["fails"]) == NotEnoughMemory.exit_code
    err = capsys.readouterr().err
    assert "porter: error: too [many] interpreters\n" in err
    assert "porter: hint: use [fewer]\n" in err
    assert "Traceback" not in err


def test_bug_is_one_line_unless_debug(
    failing: list[BaseException], capsys: pytest.CaptureFixture[str]
) -> None:
    failing.append(ZeroDivisionError("oops"))
    assert cli.execute(["fails"]) == 70
    err = capsys.readouterr().err
    assert "ZeroDivisionError: oops" in err and "Traceback" not in err
    assert cli.execute(["--debug", "fails"]) == 70
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PermissionError(13, "Permission denied", "/x/y"), 6),
        (KeyboardInterrupt(), 130),
        (PorterError("plain"), 1),
    ],
)
def test_other_codes(failing: list[BaseException], error: BaseException, code: int) -> None:
    failing.append(error)
    assert cli.execute(["fails"]) == code


def test_help_lists_every_command_module(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.execute(["--help"]) == 0
    listed = re.findall(r"^  ([a-z-]+)  ", capsys.readouterr().out, re.MULTILINE)
    assert {"sync", "releases", "doctor", "patch"} <= set(listed)


@pytest.mark.parametrize("args", [["nonsense"], ["sync", "--bogus"], ["sync", "a", "b"]])
def test_wrong_usage(args: list[str]) -> None:
    assert cli.execute(args) == 2
