"""Patterns in expected output, as upstream's runner reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.conformance.discovery import Test
from porter.conformance.matching import (
    asks_to_skip,
    first_difference,
    line_pattern,
    matches_patterns,
    unittest_summary,
)


@pytest.mark.parametrize(
    ("line", "text", "fits"),
    [
        (b"a.b\n", b"a.b\n", True),
        (b"a.b\n", b"axb\n", False),  # special characters are literal ...
        (b"a\\.b\n", b"axb\n", True),  # ... and patterns after a backslash
        (b"\\d\\+ bytes\n", b"ddd bytes\n", True),  # so there are no classes
        (b"[0-9]\n", b"[0-9]\n", True),
        (b"\\[0-9\\]\\+ bytes\n", b"512 bytes\n", True),
        (b"end\n", b"end\r\r\n", True),
    ],
)
def test_line_pattern(line: bytes, text: bytes, fits: bool) -> None:
    assert bool(line_pattern(line).match(text)) is fits


@pytest.mark.parametrize(
    ("expected", "actual", "fits"),
    [
        (b"a\n########\nd\n", b"a\nb\nc\nd\n", True),
        (b"a\n########\nd\n", b"a\nd\n", True),
        (b"a\n########\nd\n", b"a\nb\n", False),
        (b"########\nd\n", b"a\nd\ne\n", False),
        (b"a\n########\n", b"a\nb\n", True),
        (b"a\nb\n", b"a\n", False),
        (b"########\nb\n########\nc\n", b"x\nb\ny\nc\n", True),
    ],
)
def test_any_lines(expected: bytes, actual: bytes, fits: bool) -> None:
    assert matches_patterns(expected, actual) is fits


def test_special_tests_may_skip_amid_other_output() -> None:
    plain = Test(Path("tests"), "basics/list1.py")
    special = Test(Path("tests"), "micropython/meminfo.py")
    assert asks_to_skip(plain, b"SKIP\n")
    assert not asks_to_skip(plain, b"mem\nSKIP\nmem\n")
    assert asks_to_skip(special, b"mem\nSKIP\nmem\n")


def test_unittest_summary_needs_all_its_lines() -> None:
    assert unittest_summary(b"Ran 1 tests\n\nOK\n") is None
    whole = b"a\n" + b"-" * 70 + b"\nRan 12 tests\n\nOK\n"
    summary = unittest_summary(whole)
    assert summary is not None
    assert (summary.ran, summary.ok) == (12, True)


def test_first_difference_names_the_line() -> None:
    assert first_difference(b"a\nb\n", b"a\n") == "line 2: expected 'b', got the end"
    assert first_difference(b"a\n", b"a") == "the outputs differ in line ends"
