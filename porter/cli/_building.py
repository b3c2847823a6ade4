"""Build with progress reporting, for every command that needs a build."""

from __future__ import annotations

from rich.console import Console

from porter.cli._progress import show_progress
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
    """Build `config` with progress messages on stderr; an up-to-date build prints no message.

    Args:
        config: The build.
        console: The console for warnings; None for stderr.
        variant: The variant of the host twin.
        jobs: The number of compilers at a time; None for one per core.
        registers: The cap on registers per device thread.
        strict: Whether a skipped patch or a kept function is an error.
        always: Whether skipped patches and kept functions are printed for an up-to-date build too.

    Returns:
        The finished build.
    """
    with show_progress() as progress:
        done = build(
            config,
            variant=variant,
            jobs=jobs,
            registers=registers,
            strict=strict,
            progress=progress,
        )
    console = console or Console(stderr=True, highlight=False)
    if always or any(done.seconds.values()):
        for line in done.patches.lacks:
            console.print(f"porter: {line}", style="yellow", soft_wrap=True, markup=False)
    if done.compiled.warning:
        console.print(f"porter: warning: {done.compiled.warning}", style="yellow", soft_wrap=True)
    return done
