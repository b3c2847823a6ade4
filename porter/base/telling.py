"""How long work reports its progress: one line on stderr for each part, and steps within it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress

from attrs import frozen

Say = Callable[[str], None]


def silent(text: str) -> None:
    """Say nothing."""


def to_stderr(text: str) -> None:
    """One plain line on stderr."""
    with suppress(OSError, ValueError):  # nobody reads it, or it was closed
        print(f"porter: {text}", file=sys.stderr, flush=True)


@frozen
class Teller:
    """`say` gets a line as a part of the work begins, `step` its progress: (done, of how many).

    Work that is not needed is not told.
    """

    say: Say = to_stderr
    step: Callable[[int, int], None] = lambda done, total: None


QUIET = Teller(say=silent)
DEFAULT = Teller()
