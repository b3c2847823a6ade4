"""Outcomes of a program's call for a case; the numbers are equal in all builds."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from porter.run.status import Status


class CaseStatus(IntEnum):
    """The outcome of one program's call for one case. The numbers never change."""

    PASSED = 0  # the expected value was returned
    WRONG = 1  # another value was returned
    RAISED = 2  # an uncaught exception, in the call or in the program before it
    EXITED = 3  # SystemExit
    SYNTAX_ERROR = 4  # the program does not compile
    NO_ENTRY = 5  # the program does not define the function
    OUT_OF_STEPS = 6
    OUT_OF_TIME = 7
    OUT_OF_MEMORY = 8  # heap, pystack or C stack
    OUT_OF_OUTPUT = 9  # the output exceeds the limit
    BROKEN = 10  # the interpreter failed a bounds check or broke
    NO_CASE = 11  # this program has fewer cases than others
    NOT_COMPARED = 12  # a value was returned but not compared: Evaluation.reasons
    UNSUPPORTED = 13  # the program uses what CPython has and interpreters lack: Evaluation.causes


EQUAL, NOT_COMPARED = 1, 2  # gpusnek_equality of templates/port/interp.h
# Outcomes of calls that returned a value.
RETURNED = (CaseStatus.PASSED, CaseStatus.WRONG, CaseStatus.NOT_COMPARED)
_OF_LAUNCH = {
    "OK": CaseStatus.WRONG,
    "EXCEPTION": CaseStatus.RAISED,
    "EXIT": CaseStatus.EXITED,
    "SYNTAX_ERROR": CaseStatus.SYNTAX_ERROR,
    "NO_ENTRY": CaseStatus.NO_ENTRY,
    "OUT_OF_STEPS": CaseStatus.OUT_OF_STEPS,
    "OUT_OF_TIME": CaseStatus.OUT_OF_TIME,
}
# A call with one of these outcomes may also have exceeded the output limit. Other outcomes take
# precedence.
PRINTED = (CaseStatus.WRONG, CaseStatus.RAISED, CaseStatus.EXITED, CaseStatus.NO_ENTRY)


def case_statuses(
    statuses: type[Status],
    ended: np.ndarray[Any, Any],
    equal: np.ndarray[Any, Any],
    lacked: np.ndarray[Any, Any],
    printed_too_much: np.ndarray[Any, Any],
) -> np.ndarray[Any, Any]:
    """Return the CaseStatus of each row (int8).

    Args:
        statuses: The statuses of the build.
        ended: How the row's call ended, by `statuses` (int32[rows]).
        equal: EQUAL, NOT_COMPARED, or another value for a result that is not equal (uint8[rows]).
        lacked: Whether memory was missing where an exception ended the call (bool[rows]).
        printed_too_much: Whether the row's output was cut (bool[rows]).
    """
    known = {int(statuses[name]): status for name, status in _OF_LAUNCH.items()}
    low, high = min(known) - 1, max(known) + 1
    table = np.full(high - low + 1, CaseStatus.BROKEN, np.int8)
    for value, status in known.items():
        table[value - low] = status
    found: np.ndarray[Any, Any] = table[np.clip(ended, low, high) - low]
    if lacked.any():
        found[lacked & (found == CaseStatus.RAISED)] = CaseStatus.OUT_OF_MEMORY
    if printed_too_much.any():
        found[printed_too_much & np.isin(found, PRINTED)] = CaseStatus.OUT_OF_OUTPUT
    compared = np.full(256, CaseStatus.WRONG, np.int8)
    compared[EQUAL], compared[NOT_COMPARED] = CaseStatus.PASSED, CaseStatus.NOT_COMPARED
    return np.where(found == CaseStatus.WRONG, compared[equal], found)
