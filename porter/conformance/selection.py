"""``--list``: which tests a command line asks for, without running any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from porter.conformance.discovery import Test
from porter.conformance.skips import SkipList


def lines(tests: Sequence[Test], skips: SkipList) -> Iterator[str]:
    """One line a test: its name, where its expected output is from, why it is on the skip list."""
    for test in tests:
        source = "exp" if test.expected_file.is_file() else "cpython"
        reason = skips.reason(test)
        yield f"{test.name:<48} {source:<8}{f' skip: {reason}' if reason else ''}".rstrip()
