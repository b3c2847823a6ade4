"""Building with a progress display, for every command that needs a build."""

from __future__ import annotations

from rich.console import Console

from porter.cli._telling import telling
from porter.compile.flags import REGISTERS
from porter.config import BuildConfig
from porter.pipeline import Build, build


def build_shown(
    config: BuildConfig,
    console: Console | None = None,
    *,
    variant: str = "release",
    jobs: int | None = None,
    registers: int = REGISTERS,
    strict: bool = False,
    always: bool = False,
) -> Build:
    """Build `config`, saying on stderr what is done; nothing where all is up to date.

    Warnings go to `console`, by default stderr too. What a build lacks because patches do not apply
    to the release is said when it is made; always with `always`. `strict` makes it an error.
    """
    with telling() as tell:
        done = build(
            config, variant=variant, jobs=jobs, registers=registers, strict=strict, tell=tell
        )
    console = console or Console(stderr=True, highlight=False)
    if always or any(done.seconds.values()):
        for line in done.patches.lacks:
            console.print(f"porter: {line}", style="yellow", soft_wrap=True, markup=False)
    if done.compiled.warning:
        console.print(f"porter: warning: {done.compiled.warning}", style="yellow", soft_wrap=True)
    return done
