"""Options shared by several commands."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from porter.base.arguments import MOST_SECONDS, seconds
from porter.base.sizes import format_size, parse_size
from porter.cli._deprecated import renamed_option
from porter.cli._types import PathType
from porter.config import CHOICES, FIELDS, SIZE_BOUNDS, SWITCHES, BuildConfig
from porter.run.launch.limits import seconds_of, steps_of
from porter.settings import load_config

F = TypeVar("F", bound=Callable[..., Any])

# The options of `build_options`, by BuildConfig's names.
BUILD_NAMES = ("release", *SIZE_BOUNDS, *CHOICES, "arch", *SWITCHES, "skip_patches", "freeze")

SIZE_HELP = {
    "heap": "Python heap per interpreter",
    "stack": "C stack per interpreter",
    "pystack": "frame stack per interpreter",
    "stdout": "stdout buffer per interpreter",
    "stderr": "stderr buffer per interpreter",
    "fs_size": "private file system per interpreter",
}

CHOICE_HELP = {
    "arena": "GPU memory that holds running interpreters",
    "target": "host twin, GPU, or both [the GPU if there is one]",
    "float": "width of Python's float",
    "level": "MicroPython's feature level",
    "library": "Python modules that are frozen into the build: all, or none",
}


def _parse(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    return None if value is None else parse_size(value, param.opts[0])


def size_option(name: str, text: str, *, old: Mapping[str, str] | None = None) -> Callable[[F], F]:
    """Return an option for a size such as 64K; the command gets bytes, or None."""
    return renamed_option(name, old=old or {}, metavar="SIZE", callback=_parse, help=text)


MOST_TEST = 1e6  # seconds; the maximum that waiting for a test process supports


def seconds_option(
    text: str,
    *,
    name: str = "--timeout",
    unit: str = "SECONDS",
    most: float = MOST_SECONDS,
    default: float | None = None,
) -> Callable[[F], F]:
    """Return an option for a time: a number that is not negative, infinite or `nan`, or None."""

    def check(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
        return None if value is None else seconds(value, param.opts[0], most)

    return click.option(
        name,
        type=float,
        metavar=unit,
        callback=check,
        default=default,
        show_default=default is not None,
        help=text,
    )


def limit_options(function: F) -> F:
    """Add the limits of each program to a command: max_steps and deadline, None for no limit."""

    def steps(ctx: click.Context, param: click.Parameter, value: int | None) -> Any:
        return steps_of(value, param.opts[0])

    def time(ctx: click.Context, param: click.Parameter, value: float | None) -> Any:
        return seconds_of(value, param.opts[0])

    for option in (
        click.option(
            "--deadline",
            type=float,
            metavar="SECONDS",
            callback=time,
            help="Maximum run time of each interpreter.",
        ),
        click.option(
            "--max-steps",
            type=int,
            metavar="N",
            callback=steps,
            help="Maximum steps (loop iterations, branches, calls) per interpreter.",
        ),
    ):
        function = option(function)
    return function


# The option of commands whose default build has no bounds checks.
bounds_checks_flag = renamed_option(
    "--bounds-checks",
    old={"--fences": "--bounds-checks"},
    is_flag=True,
    help="Check the bounds of every memory access.",
)

skip_patches_option = click.option(
    "--skip-patches",
    metavar="NAMES",
    help="Patches to skip, separated by commas: names, performance, bugfix or tooling.",
)


def build_options(function: F) -> F:
    """Add every option of a BuildConfig to a command, which gets them as `config`."""

    @functools.wraps(function)
    def wrapper(*args: Any, config_file: Path | None, **kwargs: Any) -> Any:
        options = {name: kwargs.pop(name) for name in BUILD_NAMES}
        config: BuildConfig = load_config(options, config_file=config_file)
        return function(*args, config=config, **kwargs)

    decorated: Any = wrapper
    options = [
        click.option("--release", metavar="R", help="Upstream release [newest in the lock].")
    ]
    for name, bounds in SIZE_BOUNDS.items():
        span = f"{format_size(bounds.low)} to {format_size(bounds.high)}"
        usual = format_size(int(FIELDS[name].default or 0))
        text = f"{SIZE_HELP[name]}, {span}{', or 0' if bounds.zero else ''} [{usual}]."
        option = click.option(
            f"--{name.replace('_', '-')}",
            metavar="SIZE",
            callback=_parse,
            help=text[0].upper() + text[1:],
        )
        options.append(option)
    for name, choices in CHOICES.items():
        text = CHOICE_HELP[name][0].upper() + CHOICE_HELP[name][1:] + "."
        options.append(click.option(f"--{name}", type=click.Choice(choices), help=text))
    options += [
        click.option(
            "--arch",
            metavar="SM",
            help="GPU architectures, separated by commas (sm_90), or `all`, or `native`.",
        ),
        click.option(
            "--gc-stress/--no-gc-stress", default=None, help="Collect before every allocation."
        ),
        renamed_option(
            "--bounds-checks/--no-bounds-checks",
            old={"--fences": "--bounds-checks", "--no-fences": "--no-bounds-checks"},
            default=None,
            help="Check the bounds of every memory access; a failed check ends its interpreter.",
        ),
        click.option(
            "--profile/--no-profile",
            default=None,
            help="Count the work of each instruction; slower. `porter profile` builds with it.",
        ),
        click.option(
            "--reconverge/--no-reconverge",
            default=None,
            help="Let diverged lanes of a warp reconverge [on].",
        ),
        skip_patches_option,
        click.option(
            "--freeze",
            metavar="MANIFEST",
            type=PathType(dir_okay=False),
            help="Manifest of further Python modules to freeze into the build.",
        ),
        click.option(
            "--config",
            "config_file",
            type=PathType(dir_okay=False, path_type=Path),
            help="TOML file with these keys [porter.toml, else pyproject.toml].",
        ),
    ]
    for option in reversed(options):
        decorated = option(decorated)
    result: F = decorated
    return result
