"""Selection of tests by the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.conformance.discovery import discover
from porter.errors import UnknownRelease, UsageError

from .fakes import Release


@pytest.fixture
def names(release: Release) -> Path:
    for name in ("basics/a1.py", "basics/a2.py", "io/b.py", "ports/unix/c.py", "basics/data/x.py"):
        release.add(name)
    return release.root


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ([], ["basics/a1.py", "basics/a2.py", "io/b.py"]),
        (["io"], ["io/b.py"]),
        (["tests/io/"], ["io/b.py"]),
        (["basics/a1", "basics/a1.py"], ["basics/a1.py"]),
        (["basics/a*"], ["basics/a1.py", "basics/a2.py"]),
        (["ports/unix"], ["ports/unix/c.py"]),
    ],
)
def test_discover(names: Path, asked: list[str], found: list[str]) -> None:
    assert [test.name for test in discover(names, asked)] == found


@pytest.mark.parametrize("asked", ["basics/zz", "nowhere", "../tests/io", ""])
def test_what_matches_nothing_is_a_mistake(names: Path, asked: str) -> None:
    with pytest.raises(UsageError, match="no such test or directory"):
        discover(names, [asked])


def test_a_release_without_tests(tmp_path: Path) -> None:
    with pytest.raises(UnknownRelease, match="no upstream tests"):
        discover(tmp_path)
