"""The values of a sweep: a program, a trial of it, how the trial ended, what that means."""

from __future__ import annotations

from enum import Enum

import attrs


@attrs.frozen
class SweptProgram:
    """A program to sweep: its name, source, and what it prints when nothing fails."""

    name: str
    source: bytes
    expected: bytes = b""


@attrs.frozen
class Trial:
    """One interpreter: a program whose allocation number ``fail`` fails (0: none does)."""

    name: str
    source: bytes
    fail: int = 0


@attrs.frozen
class Ending:
    """How one interpreter ended. ``status`` is the C name of its status, as GPUSNEK_OK.

    allocations: how many it tried. note: why there is no answer, where there is none.
    """

    status: str
    stdout: bytes = b""
    stderr: bytes = b""
    allocations: int = 0
    cut: bool = False
    note: str = ""


class Effect(Enum):
    """What an ending means; the last five fail a sweep."""

    RIGHT = "right answer"
    MEMORY_ERROR = "MemoryError"
    HANDLED = "handled by the program"
    OTHER_EXCEPTION = "another exception"
    WRONG = "wrong answer"
    HANG = "hang"
    CANARY = "canary"
    NEIGHBOUR = "neighbour changed"
    CRASH = "crash"

    @property
    def good(self) -> bool:
        """Whether a sweep accepts it."""
        return self in _GOOD


_GOOD = frozenset({Effect.RIGHT, Effect.MEMORY_ERROR, Effect.HANDLED, Effect.OTHER_EXCEPTION})


@attrs.frozen
class JudgedTrial:
    """A trial and what became of it."""

    trial: Trial
    verdict: Effect
    ending: Ending
