"""Commands that take a finished build do not import libclang, which only building needs.

A machine with a GPU may have no libclang.
"""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import click
import pytest

import porter.cli
import porter_dev.cli


def with_finished_builds() -> list[str]:
    """Return the modules of the commands with --build, except torture, which rewrites C too."""
    found = []
    for package in (porter.cli, porter_dev.cli):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            name = module.name.rpartition(".")[2]
            if not name.startswith("_") and name != "torture":
                command = getattr(importlib.import_module(module.name), "command", None)
                options = command.params if isinstance(command, click.Command) else []
                if any("--build" in option.opts for option in options):
                    found.append(module.name)
    return found


@pytest.mark.parametrize("name", with_finished_builds())
def test_a_command_is_there(name: str) -> None:
    program = f"import sys; sys.modules['clang'] = None; import {name}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_which_they_are() -> None:
    tools = {f"porter_dev.cli.{name}" for name in ("sweep", "bench", "fuzz")}
    assert tools | {"porter.cli.conformance"} <= set(with_finished_builds())
