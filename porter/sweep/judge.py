"""What an interpreter's end means when one of its allocations failed.

Well-formed are a right answer, an uncaught MemoryError, and what a program makes of a MemoryError
that it catches: any output, and any way to end that Python has. A program that catches nothing
must not end well with another output. Never well-formed: a fault, a damaged canary, a hang.
"""

from __future__ import annotations

import re

from porter.conformance.matching import normalise
from porter.sweep.model import Ending, Subject, Trial, Verdict

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


def judge(subject: Subject, trial: Trial, ending: Ending) -> Verdict:
    """What ``ending`` means for ``trial``; trials with nothing to fail are neighbours."""
    if ending.status == "GPUSNEK_STATUS_CANARY":
        return Verdict.CANARY
    if ending.status == "GPUSNEK_STOPPED":
        return Verdict.HANG
    if ending.status not in _PYTHON_ENDS:
        return Verdict.CRASH
    right = ending.status == "GPUSNEK_OK" and normalise(ending.stdout) == subject.expected
    if right:
        return Verdict.RIGHT
    if trial.fail == 0 or ending.allocations < trial.fail:  # nothing failed, and yet
        return Verdict.NEIGHBOUR
    if ending.status == "GPUSNEK_EXCEPTION" and _MEMORY.search(ending.stderr):
        return Verdict.MEMORY_ERROR
    if catches(subject.source):
        return Verdict.HANDLED
    return Verdict.WRONG if ending.status == "GPUSNEK_OK" else Verdict.OTHER_EXCEPTION
