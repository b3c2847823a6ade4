"""The pages of the prompt name the existing commands and options."""

from __future__ import annotations

import re
from pathlib import Path

from porter.cli.repl import command
from porter.repl.commands import COMMANDS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = "".join((DOCS / part / "repl.md").read_text() for part in ("how-to", "reference"))


def test_commands() -> None:
    rows = re.findall(r"^\| `%(\w+) ?([^`]*)` \|", PAGE, re.MULTILINE)
    assert dict(rows) == {name: known.usage for name, known in COMMANDS.items()}


def test_options() -> None:
    named = set(re.findall(r"--[a-z][a-z-]+", PAGE))
    options = {text for option in command.params for text in option.opts}
    assert named <= options | {"--picture"}
    assert {"--fs", "--save", "--max-groups", "--outbuf", "--timeout", "--history"} <= named
