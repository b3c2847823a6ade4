"""Files for making wheels elsewhere name existing commands, files and options."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path

import click
import pytest
import yaml

from porter.cli import group

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "wheels.yml"


@pytest.fixture(scope="module")
def settings() -> dict[str, object]:
    """Return cibuildwheel's settings."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text())
    found: dict[str, object] = document["tool"]["cibuildwheel"]
    return found


def test_the_commands_before_a_build(settings: dict[str, object]) -> None:
    commands = [shlex.split(line.replace("{project}", "/p")) for line in settings["before-build"]]  # type: ignore[attr-defined]
    (ours,) = [line[3:] for line in commands if line[:3] == ["python", "-m", "porter"]]
    command = group.commands.get(ours[0]) or group.get_command(click.Context(group), ours[0])
    assert command is not None
    values = command.make_context(ours[0], ours[1:], resilient_parsing=True).params
    assert values["folder"] == Path("/p", settings["environment"]["PORTER_BUNDLE"])  # type: ignore[index]
    assert (values["target"], values["arch"]) == ("all", "all")


def test_the_test_is_there(settings: dict[str, object]) -> None:
    program, *_ = [w for w in shlex.split(str(settings["test-command"])) if w.startswith("{")]
    assert (ROOT / program.removeprefix("{project}/")).is_file()


def test_only_a_tag_publishes_and_without_a_secret() -> None:
    text = WORKFLOW.read_text()
    publish = yaml.safe_load(text)["jobs"]["publish"]
    assert publish["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert publish["permissions"] == {"id-token": "write"}
    assert "secrets." not in text and "://" not in text
