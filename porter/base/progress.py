"""Progress reporting: messages on stderr, and steps within a phase of the work.

Long-running functions take a `ProgressReporter`. Commands choose its display: `PlainLines`, or the
moving line of porter/cli/_progress.py.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from attrs import frozen

Say = Callable[[str], None]
EVERY = 2.0  # minimum seconds between progress lines; longer phases use a tenth of their time,
SELDOM = 30.0  # but at most this many seconds
PATIENCE = 1.0  # seconds before a phase without a message of its own is shown


def silent(text: str) -> None:
    """Discard a message."""


def to_stderr(text: str) -> None:
    """Print a message as a plain line on stderr."""
    with suppress(OSError, ValueError):  # stderr is closed, or its reader has gone
        print(f"porter: {text}", file=sys.stderr, flush=True)


@frozen
class ProgressReporter:
    """Callbacks for progress reporting. Work that turns out to be unnecessary reports nothing.

    Attributes:
        say: Begins a phase and prints a message.
        step: Reports the phase's progress: (done, total).
        now: Begins a phase that may be short; shown only if it takes long.
    """

    say: Say = to_stderr
    step: Callable[[int, int], None] = lambda done, total: None
    now: Say = silent

    def within(self) -> ProgressReporter:
        """Return a reporter for a subtask of the current phase, whose own phases print no lines."""
        return ProgressReporter(self.now, self.step, self.now)


class Underway:
    """The current phase of the work, for a display."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.begin("")

    def begin(self, name: str) -> None:
        """Begin a phase; "" means that no work is under way."""
        with self.lock:
            self.name, self.progress = name, ""
            self.since = time.monotonic()

    def step(self, done: int, total: int) -> None:
        """Record that `done` of `total` steps are done."""
        with self.lock:
            self.progress = f"{done} of {total}"

    @property
    def seconds(self) -> float:
        """Seconds since the phase began."""
        return time.monotonic() - self.since

    @property
    def text(self) -> str:
        """The phase's name and progress."""
        return f"{self.name}: {self.progress}" if self.progress else self.name


class PlainLines:
    """Progress display for logs: a line when a phase begins, then a line every few seconds.

    As a context manager it runs a thread that prints lines for phases without steps.

    Args:
        line: Prints a line.
    """

    def __init__(self, line: Say = to_stderr) -> None:
        self._line = line
        self._part = Underway()
        self._told = time.monotonic()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def reporter(self) -> ProgressReporter:
        """The callbacks for the work."""
        return ProgressReporter(self._say, self._step, self._part.begin)

    def _say(self, text: str) -> None:
        with self._part.lock:
            self._part.begin(text)
            self._told = time.monotonic()
            self._line(text)

    def _step(self, done: int, total: int) -> None:
        self._part.step(done, total)
        self._look()

    def _look(self) -> None:
        with self._part.lock:
            quiet = time.monotonic() - max(self._told, self._part.since)
            pause = min(max(EVERY, self._part.seconds / 10), SELDOM)
            if self._part.name and quiet >= pause:
                self._told = time.monotonic()
                self._line(f"{self._part.text}, {self._part.seconds:.0f} s")

    def __enter__(self) -> Self:
        self._over.clear()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(EVERY / 8):
            self._look()


QUIET = ProgressReporter(say=silent)
DEFAULT = PlainLines().reporter
