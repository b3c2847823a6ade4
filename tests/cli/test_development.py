"""Development tools: commands in a checkout, one clear error in an installed wheel."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from porter import cli
from porter.base import paths
from porter.cli import _development
from porter.errors import MissingPackage


@pytest.fixture(params=["wheel", "another checkout"])
def installed(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Let this process take porter for a wheel's, or porter_dev for another checkout's."""
    if request.param == "wheel":
        monkeypatch.setattr(paths, "checkout", lambda: None)
        return
    spec = importlib.machinery.ModuleSpec(
        "porter_dev", None, origin=str(tmp_path / "porter_dev/__init__.py")
    )
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)


def test_a_checkout_has_the_commands() -> None:
    assert _development.available()
    for name in _development.COMMANDS:
        command = cli.group.get_command(click.Context(cli.group), name)
        assert command is not None and command.name == name
    shown = CliRunner().invoke(cli.group, ["--help"]).output
    assert f"{_development.HEADING}:" in shown and "\n  torture " in shown


@pytest.mark.usefixtures("installed")
def test_an_installed_porter_does_not_list_them() -> None:
    shown = CliRunner().invoke(cli.group, ["--help"]).output
    assert _development.HEADING not in shown and "\n  torture " not in shown
    assert "\n  conformance " in shown and "\n  regress " in shown


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", _development.COMMANDS)
@pytest.mark.parametrize("option", ["-n", "--help"])
def test_an_installed_porter_says_where_they_are(
    name: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.execute([name, option]) == MissingPackage.exit_code
    told = " ".join(capsys.readouterr().err.split())
    assert told.startswith(
        f"porter: error: `porter {name}` belongs to the development package porter_dev"
    )
    assert f"Run `python3 bootstrap.py {name}` in a checkout" in told
    assert "Traceback" not in told


@pytest.mark.usefixtures("installed")
def test_the_reference_build_is_a_development_tool() -> None:
    with pytest.raises(MissingPackage, match="porter conformance --target reference"):
        _development.load("reference.runner", "porter conformance --target reference")
