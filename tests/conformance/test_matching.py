"""The explanation of an output that differs."""

from __future__ import annotations

from porter.conformance.expected_output import first_difference, unittest_summary


def test_unittest_summary_needs_all_its_lines() -> None:
    assert unittest_summary(b"Ran 1 tests\n\nOK\n") is None
    whole = b"a\n" + b"-" * 70 + b"\nRan 12 tests\n\nOK\n"
    summary = unittest_summary(whole)
    assert summary is not None
    assert (summary.ran, summary.ok) == (12, True)


def test_first_difference_names_the_line() -> None:
    assert first_difference(b"a\nb\n", b"a\n") == "line 2: expected 'b', got the end"
    assert first_difference(b"a\n", b"a") == "the outputs differ in line ends"
