"""Judge the exit state of an interpreter in which one allocation failed.

Acceptable results are the right output, an uncaught MemoryError, and any output and exit state of a
program that catches the MemoryError. A program that catches nothing must not succeed with another
output. Never acceptable: a fault, a damaged canary, a hang.
"""

from __future__ import annotations

import re

from porter.conformance.expected_output import normalise
from porter_dev.allocation_failure.model import Effect, Ending, SweptProgram, Trial

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


def judge(subject: SweptProgram, trial: Trial, ending: Ending) -> Effect:
    """Classify ``ending``; a trial in which no allocation failed counts as a neighbour."""
    if ending.status == "GPUSNEK_STATUS_CANARY":
        return Effect.CANARY
    if ending.status == "GPUSNEK_STOPPED":
        return Effect.HANG
    if ending.status not in _PYTHON_ENDS:
        return Effect.CRASH
    right = ending.status == "GPUSNEK_OK" and normalise(ending.stdout) == subject.expected
    if right:
        return Effect.RIGHT
    if trial.fail == 0 or ending.allocations < trial.fail:  # no allocation failed
        return Effect.NEIGHBOUR
    if ending.status == "GPUSNEK_EXCEPTION" and _MEMORY.search(ending.stderr):
        return Effect.MEMORY_ERROR
    if catches(subject.source):
        return Effect.HANDLED
    return Effect.WRONG if ending.status == "GPUSNEK_OK" else Effect.OTHER_EXCEPTION
