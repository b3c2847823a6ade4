"""Read the skip list: features that builds lack, and tests that fail on them."""

from __future__ import annotations

from collections.abc import Collection
from fnmatch import fnmatchcase
from pathlib import Path

import attrs

from porter.base import arguments
from porter.base.documents import read_toml, structured
from porter.conformance.discovery import Test
from porter.errors import UsageError

DEFAULT_LIST = Path(__file__).with_name("skips.toml")
LIBRARY = "library"  # stands among the patches for the standard library


@attrs.frozen
class _SkipRow:
    reason: str = ""
    targets: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    with_: tuple[str, ...] = ()


@attrs.frozen
class _TestRow(_SkipRow):
    tests: tuple[str, ...] = ()
    expects: tuple[str, ...] = ()


@attrs.frozen
class _NeedRow(_SkipRow):
    needs: tuple[str, ...] = ()


@attrs.frozen
class _SkipFile:
    lack: tuple[_NeedRow, ...] = ()
    skip: tuple[_TestRow, ...] = ()


@attrs.frozen
class SkipEntry:
    """An entry of the list: needs or tests that share a reason.

    Attributes:
        reason: Reason for the entry.
        patterns: Needs or tests, by name or pattern.
        targets: Targets that the entry is for; empty for all.
        expects: If not empty, the entry is for tests whose ``.exp`` file has one of these lines.
        without: If not empty, the entry is for builds that lack one of these patches (or LIBRARY).
        with_: The entry is for builds that have all of these patches (and LIBRARY, if named).
    """

    reason: str
    patterns: tuple[str, ...]
    targets: tuple[str, ...] = ()
    expects: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    with_: tuple[str, ...] = ()

    def applies(self, target: str, skipped: Collection[str]) -> bool:
        """Return whether the entry is for ``target`` and a build without patches ``skipped``."""
        if self.without and not set(self.without).intersection(skipped):
            return False
        if not set(self.with_).isdisjoint(skipped):
            return False
        return not self.targets or target in self.targets

    def names(self, test: Test) -> bool:
        """Return whether the entry is for ``test``."""
        if not any(_matches(test.name, pattern) for pattern in self.patterns):
            return False
        return not self.expects or not set(self.expects).isdisjoint(_expected_lines(test))

    def lacks(self, need: str) -> bool:
        """Return whether the entry covers ``need``, or the module or type that contains it."""
        return any(
            need == pattern or need.startswith(f"{pattern}.") or fnmatchcase(need, pattern)
            for pattern in self.patterns
        )


@attrs.frozen
class SkipList:
    """The entries for one target: failing tests, and needs that it cannot satisfy."""

    tests: tuple[SkipEntry, ...] = ()
    needs: tuple[SkipEntry, ...] = ()

    def reason(self, test: Test) -> str | None:
        """Return why ``test`` is on the list by name, or None."""
        return next((entry.reason for entry in self.tests if entry.names(test)), None)

    def lacking(self, need: str) -> str | None:
        """Return why builds lack ``need``, or None if they should have it."""
        return next((entry.reason for entry in self.needs if entry.lacks(need)), None)


def load(
    target: str, path: arguments.StrPath = DEFAULT_LIST, skipped: Collection[str] = ()
) -> SkipList:
    """Read the entries of ``path`` for ``target`` and a build without patches ``skipped``.

    Raises:
        UsageError: The list is not readable, or an entry has no reason.
    """
    path = arguments.path(path, "path")
    lists = read(path)
    tests = tuple(entry for entry in lists.tests if entry.applies(target, skipped))
    needs = tuple(entry for entry in lists.needs if entry.applies(target, skipped))
    return SkipList(tests, needs)


def read(path: arguments.StrPath = DEFAULT_LIST) -> SkipList:
    """Read all entries of ``path``, for any target. Raises UsageError as ``load`` does."""
    path = arguments.path(path, "path")
    document = read_toml(path, UsageError, "not a readable skip list")
    lists = structured(document, _SkipFile, path, UsageError)
    skips = [
        _entry(row, row.tests, "tests", f"{path}: skip {n}", row.expects)
        for n, row in enumerate(lists.skip, 1)
    ]
    lacks = [
        _entry(row, row.needs, "needs", f"{path}: lack {n}") for n, row in enumerate(lists.lack, 1)
    ]
    return SkipList(tuple(skips), tuple(lacks))


def _expected_lines(test: Test) -> list[str]:
    file = test.expected_file
    return file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []


def _entry(
    row: _SkipRow,
    patterns: tuple[str, ...],
    subject: str,
    where: str,
    expects: tuple[str, ...] = (),
) -> SkipEntry:
    if not row.reason.strip():
        raise UsageError(f"{where}: no reason", hint='Say why: reason = "..."')
    if not patterns:
        raise UsageError(f"{where}: names no {subject}")
    return SkipEntry(row.reason, patterns, row.targets, expects, row.without, row.with_)


def _matches(name: str, pattern: str) -> bool:
    parts, patterns = name.split("/"), pattern.split("/")
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))
