"""Options of the CPython fallback that commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from porter.cli._options import size_option
from porter.errors import UsageError
from porter.fallback import Fallback
from porter.fallback.options import CPYTHON

F = TypeVar("F", bound=Callable[..., Any])
PREFIX = "fallback_"  # options of a command that are options of a Fallback


def fallback_options(function: F) -> F:
    """Add the options of a fallback to a command, without its deadline."""
    for option in (
        size_option("--fallback-memory", "Address space of a process of CPython [1G]."),
        click.option(
            "--fallback-module",
            "fallback_modules",
            multiple=True,
            metavar="MODULE",
            help="Permit programs in CPython to import this module too.",
        ),
        click.option(
            "--fallback",
            type=click.Choice((CPYTHON,)),
            help="Run UNSUPPORTED calls in CPython, in restricted processes.",
        ),
    ):
        function = option(function)
    return function


def take_fallback(values: dict[str, Any]) -> Fallback | None:
    """Take the options of the fallback out of a command's values.

    Returns:
        The fallback; None without the option `--fallback`.

    Raises:
        UsageError: An option of the fallback is given without `--fallback`.
    """
    names = [name for name in values if name.startswith(PREFIX)]
    given = {name.removeprefix(PREFIX): values.pop(name) for name in names}
    options = {name: value for name, value in given.items() if value not in (None, ())}
    if values.pop("fallback") is not None:
        return Fallback(**options)
    if options:
        name = next(iter(options))
        option = name.removesuffix("s") if name == "modules" else name
        raise UsageError(f"--fallback-{option}: it needs --fallback {CPYTHON}")
    return None
