"""Progress reporting of commands on stderr: a moving line on a terminal, plain lines elsewhere.

Every command that works for more than a second reports its progress through `show_progress`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console
from rich.text import Text

from porter.base.progress import PATIENCE, QUIET, PlainLines, ProgressReporter, Underway, to_stderr

if TYPE_CHECKING:
    from rich.progress import Progress

LOOK = 0.1  # seconds between checks whether a phase takes longer than PATIENCE
PREFIX = "porter: "


@contextmanager
def show_progress(
    *, prefix: str = PREFIX, quiet: bool = False, only_moving: bool = False
) -> Iterator[ProgressReporter]:
    """Yield a ProgressReporter that displays progress until the block ends.

    Args:
        prefix: The start of its lines.
        quiet: Display nothing.
        only_moving: Display nothing unless stderr is a terminal.
    """
    console = Console(stderr=True, highlight=False)
    if quiet or (only_moving and not console.is_terminal):
        yield QUIET
    elif console.is_terminal:
        with MovingLine(console, prefix) as moving:
            yield moving.reporter
    else:
        with PlainLines(_plain(console, prefix)) as lines:
            yield lines.reporter


def _plain(console: Console, prefix: str) -> Callable[[str], None]:
    if prefix == PREFIX:
        return to_stderr
    return lambda text: console.print(Text(prefix + text), soft_wrap=True)


class MovingLine:
    """Progress display on a terminal: a line per phase above a moving line with spinner and time.

    The moving line appears with the first message, or when a phase takes longer than PATIENCE. It
    is removed at the end.
    """

    def __init__(self, console: Console, prefix: str) -> None:
        self._console, self._prefix = console, prefix
        self._part = Underway()
        self._progress: Progress | None = None
        self._task: Any = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    @property
    def reporter(self) -> ProgressReporter:
        """The callbacks for the work."""
        return ProgressReporter(self._say, self._step, self._now)

    def _say(self, text: str) -> None:
        with self._part.lock:
            line = Text(self._prefix + text, style="dim")
            self._console.print(line, soft_wrap=True)
            self._now(text)
            self._show()

    def _now(self, text: str) -> None:
        with self._part.lock:
            self._part.begin(text)
            if self._progress is not None:
                self._progress.reset(self._task, description=text)

    def _step(self, done: int, total: int) -> None:
        with self._part.lock:
            self._part.step(done, total)
            if self._progress is not None:
                self._progress.update(self._task, description=self._part.text)

    def _show(self) -> None:
        if self._progress is not None or self._over.is_set():
            return
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        text = TextColumn("{task.description}", markup=False)
        # rich would redirect stdout as well; output of programs and reports must not change.
        self._progress = Progress(
            SpinnerColumn(),
            text,
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._progress.add_task(self._part.text, total=None)
        self._progress.start()

    def _watch(self) -> None:
        while not self._over.wait(LOOK):
            with self._part.lock:
                if self._part.name and self._part.seconds > PATIENCE:
                    self._show()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()
        if self._progress is not None:
            self._progress.stop()
