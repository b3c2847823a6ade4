"""Building with a progress display, for every command that needs a build."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from porter.base.telling import DEFAULT, Teller
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
) -> Build:
    """Build `config`, saying on stderr what is done; nothing where all is up to date.

    Warnings go to `console`, by default stderr too.
    """
    with telling() as tell:
        done = build(config, variant=variant, jobs=jobs, registers=registers, tell=tell)
    if done.compiled.warning:
        console = console or Console(stderr=True, highlight=False)
        console.print(f"porter: warning: {done.compiled.warning}", style="yellow", soft_wrap=True)
    return done


@contextmanager
def telling() -> Iterator[Teller]:
    """Says what is done: plain lines on stderr, and on a terminal a line that moves under them."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield DEFAULT
        return
    with console.status("") as status:
        part = ""

        def say(text: str) -> None:
            nonlocal part
            part = text
            console.print(Text(f"porter: {text}", style="dim"), soft_wrap=True)
            status.update(Text(text))

        def step(done: int, total: int) -> None:
            status.update(Text(f"{part}: {done} of {total}"))

        yield Teller(say, step)
