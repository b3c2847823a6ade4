"""Describe a test's output: unittest's summary, and the first difference of two outputs.

Upstream's own runner decides whether outputs are equal (runtests/).
"""

from __future__ import annotations

import re
from itertools import zip_longest

import attrs


@attrs.frozen
class UnittestSummary:
    """The summary that unittest prints last."""

    ran: int
    ok: bool


def normalise(output: bytes) -> bytes:
    """Convert line ends to ``\\n``."""
    return output.replace(b"\r\n", b"\n")


def unittest_summary(output: bytes) -> UnittestSummary | None:
    """Parse the summary at the end of ``output``; None if the test does not use unittest."""
    lines = output.splitlines()
    if len(lines) <= 4 or lines[-4] != b"-" * 70 or lines[-2] != b"":
        return None
    ran = re.fullmatch(rb"Ran (\d+) tests", lines[-3])
    ok = re.fullmatch(rb"OK( \(skipped=\d+\))?", lines[-1])
    failed = re.fullmatch(rb"FAILED \(failures=\d+, errors=\d+\)", lines[-1])
    if ran is None or (ok is None and failed is None):
        return None
    return UnittestSummary(int(ran[1]), ok is not None)


def first_difference(expected: bytes, actual: bytes) -> str:
    """Describe the first difference of two outputs in one line."""
    pairs = zip_longest(expected.splitlines(), actual.splitlines())
    for number, (want, got) in enumerate(pairs, 1):
        if want != got:
            return f"line {number}: expected {_show(want)}, got {_show(got)}"
    return "the outputs differ in line ends"


def _show(line: bytes | None) -> str:
    if line is None:
        return "the end"
    text = line.decode("utf-8", errors="backslashreplace")
    return repr(text if len(text) <= 100 else text[:100] + "...")
