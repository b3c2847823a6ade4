"""Compares a test's output with what is expected, as upstream's runner does.

Source: ``tests/run-tests.py``, ``run_micropython`` and ``run_one_test``.
"""

from __future__ import annotations

import re
from itertools import zip_longest

import attrs

from porter.conformance.discovery import Test

ANY_LINES = b"########\n"

# Tests whose expected output holds patterns; all of cmdline's do too.
_PATTERN_TESTS = frozenset(
    {
        "micropython/meminfo.py",
        "basics/bytes_compare3.py",
        "basics/builtin_help.py",
        "misc/sys_settrace_cov.py",
        "thread/thread_exc2.py",
    }
)
_LITERAL = frozenset("()[]{}.*+^$")


@attrs.frozen
class UnittestSummary:
    """The last lines of a test that uses unittest."""

    ran: int
    ok: bool


def has_patterns(test: Test) -> bool:
    """Whether the expected output of ``test`` holds patterns rather than plain lines."""
    return test.directory == "cmdline" or test.name in _PATTERN_TESTS


def normalise(output: bytes) -> bytes:
    """Output with ``\\n`` as the end of each line."""
    return output.replace(b"\r\n", b"\n")


def asks_to_skip(test: Test, output: bytes) -> bool:
    """Whether ``output`` says that the test skips itself."""
    return output == b"SKIP\n" or (has_patterns(test) and b"\nSKIP\n" in b"\n" + output)


def line_pattern(line: bytes) -> re.Pattern[bytes]:
    """The pattern that one expected line stands for.

    Upstream's notation: characters with a meaning in patterns are literal, and have
    that meaning after a backslash. Carriage returns before the newline are accepted.
    """
    parts: list[str] = []
    characters = iter(line.decode("utf-8", errors="surrogateescape"))
    for character in characters:
        if character == "\\":
            parts.append(next(characters, ""))
        elif character == "\n":
            parts.append("\r*\n")
        else:
            parts.append("\\" + character if character in _LITERAL else character)
    return re.compile("".join(parts).encode("utf-8", errors="surrogateescape"))


def matches_patterns(expected: bytes, actual: bytes) -> bool:
    """Whether ``actual`` fits ``expected``, in which ``########`` is any number of whole lines.

    Like upstream, the any-lines mark takes as few lines as possible and is never
    taken back. As the last line it takes the rest.
    """
    wanted = expected.splitlines(keepends=True)
    lines = actual.splitlines(keepends=True)
    at = 0
    for index, line in enumerate(wanted):
        if line != ANY_LINES:
            if at >= len(lines) or not line_pattern(line).match(lines[at]):
                return False
            at += 1
            continue
        if index + 1 == len(wanted):
            return True
        following = line_pattern(wanted[index + 1])
        while at < len(lines) and not following.match(lines[at]):
            at += 1
    return at == len(lines)


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
