"""How long work reports its progress: lines on stderr, and steps within a part of the work."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from attrs import frozen

Say = Callable[[str], None]
EVERY = 2.0  # seconds after which plain lines say how far it is, or a tenth of the part's time
SELDOM = 30.0  # and at most: logs of long work stay short
PATIENCE = 1.0  # seconds that a part may take before anything is said of it


def silent(text: str) -> None:
    """Say nothing."""


def to_stderr(text: str) -> None:
    """One plain line on stderr."""
    with suppress(OSError, ValueError):  # nobody reads it, or it was closed
        print(f"porter: {text}", file=sys.stderr, flush=True)


@frozen
class Teller:
    """What long work is given to tell of itself; work that is not needed is not told.

    say: a part of the work begins, which a line says. now: the same of what may be over at once;
    only where it is not, something shows. step: of the part, how much is done: (done, of how many).
    """

    say: Say = to_stderr
    step: Callable[[int, int], None] = lambda done, total: None
    now: Say = silent

    def within(self) -> Teller:
        """For work that is a part of what was said: its own parts have no lines."""
        return Teller(self.now, self.step, self.now)


class Underway:
    """The part of the work that is under way, for what shows it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.begin("")

    def begin(self, name: str) -> None:
        """Another part; "": nothing is under way."""
        with self.lock:
            self.name, self.progress = name, ""
            self.since = time.monotonic()

    def step(self, done: int, total: int) -> None:
        """`done` of `total` are done."""
        with self.lock:
            self.progress = f"{done} of {total}"

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.since

    @property
    def text(self) -> str:
        """Its name, and how far it is."""
        return f"{self.name}: {self.progress}" if self.progress else self.name


class PlainLines:
    """Progress where no line can move: a line as a part begins, then one every few seconds.

    line: writes one. While it is entered, a thread sees to it that work which takes no steps shows
    that it goes on.
    """

    def __init__(self, line: Say = to_stderr) -> None:
        self._line = line
        self._part = Underway()
        self._told = time.monotonic()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def teller(self) -> Teller:
        """For the work."""
        return Teller(self._say, self._step, self._part.begin)

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


QUIET = Teller(say=silent)
DEFAULT = PlainLines().teller
