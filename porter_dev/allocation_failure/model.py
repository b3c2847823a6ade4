"""The data of a sweep: programs, trials, exit states of interpreters, and judgements."""

from __future__ import annotations

from enum import Enum

import attrs


@attrs.frozen
class SweptProgram:
    """A program to sweep: name, source, and its output if no allocation fails."""

    name: str
    source: bytes
    expected: bytes = b""


@attrs.frozen
class Trial:
    """A run of one interpreter: a program whose allocation number ``fail`` fails; 0: none fails."""

    name: str
    source: bytes
    fail: int = 0


@attrs.frozen
class Ending:
    """The exit state and outputs of one interpreter.

    Attributes:
        status: C name of its status, such as GPUSNEK_OK.
        stdout: Its standard output.
        stderr: Its standard error.
        allocations: Number of allocations that it attempted.
        cut: Whether its output was longer than the buffer.
        note: Reason why there is no answer; "" if there is one.
    """

    status: str
    stdout: bytes = b""
    stderr: bytes = b""
    allocations: int = 0
    cut: bool = False
    note: str = ""


class Effect(Enum):
    """The classification of an exit state; a sweep fails with any of the last five."""

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
        """Return whether a sweep accepts it."""
        return self in _GOOD


_GOOD = frozenset({Effect.RIGHT, Effect.MEMORY_ERROR, Effect.HANDLED, Effect.OTHER_EXCEPTION})


@attrs.frozen
class JudgedTrial:
    """A trial, its exit state and the judgement."""

    trial: Trial
    verdict: Effect
    ending: Ending
