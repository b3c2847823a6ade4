"""Building with a progress display, for every command that needs a build."""

from __future__ import annotations

from rich.console import Console

from porter.compile.flags import REGISTERS
from porter.config import BuildConfig
from porter.pipeline import Build, build


def build_shown(
    config: BuildConfig,
    console: Console,
    *,
    variant: str = "release",
    jobs: int | None = None,
    registers: int = REGISTERS,
) -> Build:
    """Build `config`, naming the running stage on `console` when that is a terminal."""
    with console.status("building") as status:
        done = build(
            config,
            variant=variant,
            jobs=jobs,
            registers=registers,
            started=lambda stage: status.update(f"{stage} {config.release}"),
        )
    if done.compiled.warning:
        console.print(f"porter: warning: {done.compiled.warning}", style="yellow", soft_wrap=True)
    return done
