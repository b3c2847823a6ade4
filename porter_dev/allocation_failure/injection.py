"""Failure injections: programs, injections, exit states of interpreters, and their judgement.

One allocation of an interpreter fails. The judgement compares its exit state with that of a run
without failures.

Acceptable results are the right output, an uncaught MemoryError, and any output and exit state of a
program that catches the MemoryError. A program that catches nothing must not succeed with another
output. Never acceptable: a fault, a damaged canary, a hang.
"""

from __future__ import annotations

import re
from enum import Enum

import attrs

from porter.conformance.expected_output import normalise


@attrs.frozen
class InjectedProgram:
    """A program to sweep: name, source, and its output if no allocation fails."""

    name: str
    source: bytes
    expected: bytes = b""


@attrs.frozen
class Injection:
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
    """A injection, its exit state and the judgement."""

    injection: Injection
    verdict: Effect
    ending: Ending


_PYTHON_ENDS = frozenset(
    {"GPUSNEK_OK", "GPUSNEK_EXCEPTION", "GPUSNEK_EXIT", "GPUSNEK_SYNTAX_ERROR"}
)
# Words with which a program can continue after an exception, or print while it unwinds.
_HANDLER = re.compile(rb"\b(except|finally|with|__exit__|__del__)\b")
# Upstream also prints this for exceptions in finalisers and callbacks, which have no handler.
_MEMORY = re.compile(rb"^MemoryError\b", re.MULTILINE)


def catches(source: bytes) -> bool:
    """Return whether a program may continue after an exception."""
    return _HANDLER.search(source) is not None


def judge(subject: InjectedProgram, injection: Injection, ending: Ending) -> Effect:
    """Classify ``ending``; a injection in which no allocation failed counts as a neighbour."""
    if ending.status == "GPUSNEK_STATUS_CANARY":
        return Effect.CANARY
    if ending.status == "GPUSNEK_STOPPED":
        return Effect.HANG
    if ending.status not in _PYTHON_ENDS:
        return Effect.CRASH
    right = ending.status == "GPUSNEK_OK" and normalise(ending.stdout) == subject.expected
    if right:
        return Effect.RIGHT
    if injection.fail == 0 or ending.allocations < injection.fail:  # no allocation failed
        return Effect.NEIGHBOUR
    if ending.status == "GPUSNEK_EXCEPTION" and _MEMORY.search(ending.stderr):
        return Effect.MEMORY_ERROR
    if catches(subject.source):
        return Effect.HANDLED
    return Effect.WRONG if ending.status == "GPUSNEK_OK" else Effect.OTHER_EXCEPTION
