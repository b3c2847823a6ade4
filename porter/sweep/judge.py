"""What an interpreter's end means when one of its allocations failed.

Well-formed are a right answer, an uncaught MemoryError, and what a program makes of a MemoryError
that it catches: any output, and any way to end that Python has. A program that catches nothing
must not end well with another output. Never well-formed: a fault, a damaged canary, a hang.
"""

from __future__ import annotations

import re

from porter.conformance.matching import normalise
from porter.sweep.model import Effect, Ending, SweptProgram, Trial

_PYTHON_ENDS = frozenset(
    {"GPUSNEK_OK", "GPUSNEK_EXCEPTION", "GPUSNEK_EXIT", "GPUSNEK_SYNTAX_ERROR"}
)
# Words by which a program can go on after an exception, or print on its way out.
_HANDLER = re.compile(rb"\b(except|finally|with|__exit__|__del__)\b")
# Upstream prints these where no handler is: an exception in a finaliser or a callback.
_MEMORY = re.compile(rb"^MemoryError\b", re.MULTILINE)


def catches(source: bytes) -> bool:
    """Whether a program may go on after an exception."""
    return _HANDLER.search(source) is not None


def judge(subject: SweptProgram, trial: Trial, ending: Ending) -> Effect:
    """What ``ending`` means for ``trial``; trials with nothing to fail are neighbours."""
    if ending.status == "GPUSNEK_STATUS_CANARY":
        return Effect.CANARY
    if ending.status == "GPUSNEK_STOPPED":
        return Effect.HANG
    if ending.status not in _PYTHON_ENDS:
        return Effect.CRASH
    right = ending.status == "GPUSNEK_OK" and normalise(ending.stdout) == subject.expected
    if right:
        return Effect.RIGHT
    if trial.fail == 0 or ending.allocations < trial.fail:  # nothing failed, and yet
        return Effect.NEIGHBOUR
    if ending.status == "GPUSNEK_EXCEPTION" and _MEMORY.search(ending.stderr):
        return Effect.MEMORY_ERROR
    if catches(subject.source):
        return Effect.HANDLED
    return Effect.WRONG if ending.status == "GPUSNEK_OK" else Effect.OTHER_EXCEPTION
