"""Reads a test's output for a reader: what unittest counted, and where two outputs part.

Upstream's own runner says whether they are equal (runtests/).
"""

from __future__ import annotations

import re
from itertools import zip_longest

import attrs


@attrs.frozen
class UnittestSummary:
    """The last lines of a test that uses unittest."""

    ran: int
    ok: bool


def normalise(output: bytes) -> bytes:
    """Output with ``\\n`` as the end of each line."""
    return output.replace(b"\r\n", b"\n")


def unittest_summary(output: bytes) -> UnittestSummary | None:
    """The summary at the end of ``output``, or None if the test does not use unittest."""
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
    """One line for a reader: where two outputs part."""
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
