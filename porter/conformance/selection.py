"""Implement ``--list``: print the selected tests without running them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from porter.conformance.discovery import Test
from porter.conformance.skips import SkipList


def lines(tests: Sequence[Test], skips: SkipList) -> Iterator[str]:
    """Yield one line per test: its name, the source of its expected output, its skip reason."""
    for test in tests:
        source = "exp" if test.expected_file.is_file() else "cpython"
        reason = skips.reason(test)
        yield f"{test.name:<48} {source:<8}{f' skip: {reason}' if reason else ''}".rstrip()
