"""`porter fuzz --calls`: on a new build, or on a finished one, which needs no compiler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from porter.cli._options import bounds_checks_flag
from porter.cli._progress import show_progress
from porter.cli._types import PathType
from porter.errors import FuzzFailed, UsageError
from porter.run.built import open_build
from porter_dev.fuzz.calls.session import CallSession, fuzz_calls


def run_calls(
    session: dict[str, Any],
    release: str | None,
    target: str | None,
    variant: str,
    bounds_checks: bool,
) -> None:
    """Run a campaign and print its result. Raises FuzzFailed, UsageError."""
    console = Console(highlight=False)
    folder: Path | None = session.pop("folder")
    if folder is None:
        folder, target = _built(release, target, variant, bounds_checks)
    else:
        target = target or ("cuda" if "cuda" in open_build(folder).whole.targets else "host")
    device = target if variant == "release" else f"{target}-{variant}"
    done = _campaign(CallSession(folder=folder, target=device, **session), console)
    console.print(done.text, soft_wrap=True)
    if done.broken:
        raise FuzzFailed(
            f"{done.broken} programs break an interpreter or a launch",
            hint="They are printed above, reduced; --save FOLDER keeps them.",
        )


def _campaign(session: CallSession, console: Console) -> Any:
    def say(text: str) -> None:
        console.print(text, markup=False, soft_wrap=True)

    with show_progress() as tell:
        tell.now("programs of hostile calls")
        if not session.target.endswith("-asan"):
            return fuzz_calls(session, say)
        from porter.toolchain import children  # calls g++ for its library's path

        with children(session.target):
            return fuzz_calls(session, say)


def _built(
    release: str | None, target: str | None, variant: str, bounds_checks: bool
) -> tuple[Path, str]:
    """Return the folder of a new build, and its target."""
    from porter.cli._building import build_shown
    from porter.settings import load_config

    given = {
        "release": release,
        "target": target,
        "arena": "global",
        "bounds_checks": bounds_checks or None,
    }
    config = load_config(given)
    if len(config.targets) > 1:
        raise UsageError("target: interpreters run on host or cuda, not on all")
    return build_shown(config, variant=variant).folder, config.target


def calls_options(function: Any) -> Any:
    """Add the options of `--calls` to a command, which gets them by name."""
    options = [
        click.option("--calls", is_flag=True, help="Call everything with hostile arguments."),
        click.option("--programs", is_flag=True, help="With --calls: classes with side effects."),
        click.option(
            "--mutate",
            type=PathType(path_type=Path),
            multiple=True,
            metavar="FOLDER",
            help="With --calls: programs of FOLDER in which an integer became huge.",
        ),
        click.option("--seed", metavar="TEXT", default="1", help="With --calls: equal programs."),
        click.option("--count", type=click.IntRange(0), default=0, help="Programs at most [any]."),
        click.option("--target", type=click.Choice(["host", "cuda"]), help="Where calls run."),
        click.option(
            "--variant",
            type=click.Choice(["release", "debug", "asan"]),
            default="release",
            help="How the host twin is compiled for --calls.",
        ),
        bounds_checks_flag,
        click.option("--sandbox", is_flag=True, help="Run the programs in a sandbox."),
        click.option("--batch", type=click.IntRange(0), default=0, help="Programs a launch."),
        click.option("--without", metavar="REGEX", default="", help="No statement has this."),
        click.option(
            "--known",
            type=PathType(file_okay=False, path_type=Path),
            help="Findings of this folder are not told again.",
        ),
        click.option(
            "--build",
            "folder",
            metavar="FOLDER",
            type=PathType(path_type=Path),
            help="Use this finished build with --calls; builds nothing.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function
