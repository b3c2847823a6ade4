"""The checked-in list of what a build of ours lacks, and of tests that it does not pass."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import attrs

from porter.conformance.discovery import Test
from porter.errors import UsageError

DEFAULT_LIST = Path(__file__).with_name("skips.toml")
_SUBJECTS = {"lack": "needs", "skip": "tests"}
_KEYS = {"lack": {"reason", "targets"}, "skip": {"reason", "targets", "expects"}}


@attrs.frozen
class Entry:
    """One entry: needs or tests that share a reason, everywhere or for some targets.

    `expects`: the entry is about tests whose expected output, as upstream keeps it, has one of
    these lines; about all tests of its names where there is none.
    """

    reason: str
    patterns: tuple[str, ...]
    targets: tuple[str, ...] = ()
    expects: tuple[str, ...] = ()

    def applies(self, target: str) -> bool:
        """Whether the entry counts for ``target``."""
        return not self.targets or target in self.targets

    def names(self, test: Test) -> bool:
        """Whether the entry is about ``test``."""
        if not any(_matches(test.name, pattern) for pattern in self.patterns):
            return False
        return not self.expects or not set(self.expects).isdisjoint(_expected_lines(test))

    def lacks(self, need: str) -> bool:
        """Whether ``need``, or the module or type that it is in, is what builds lack."""
        return any(
            need == pattern or need.startswith(f"{pattern}.") or fnmatchcase(need, pattern)
            for pattern in self.patterns
        )


@attrs.frozen
class SkipList:
    """The entries that count for one target: needs that it cannot serve, tests that fail on it."""

    tests: tuple[Entry, ...] = ()
    needs: tuple[Entry, ...] = ()

    def reason(self, test: Test) -> str | None:
        """Why ``test`` is on the list by name, or None."""
        return next((entry.reason for entry in self.tests if entry.names(test)), None)

    def lacking(self, need: str) -> str | None:
        """Why builds do not have ``need``, or None if they should."""
        return next((entry.reason for entry in self.needs if entry.lacks(need)), None)


def load(target: str, path: Path = DEFAULT_LIST) -> SkipList:
    """The entries of ``path`` that count for ``target``.

    Raises UsageError for a list that is not readable or an entry without a reason.
    """
    lists = read(path)
    tests = tuple(entry for entry in lists.tests if entry.applies(target))
    return SkipList(tests, tuple(entry for entry in lists.needs if entry.applies(target)))


def read(path: Path = DEFAULT_LIST) -> SkipList:
    """All entries of ``path``, whatever their target; raises UsageError as ``load`` does."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: not a readable skip list: {error}") from error
    unknown = sorted(set(table) - set(_SUBJECTS))
    if unknown:
        raise UsageError(f"{path}: unknown table {unknown[0]}", hint="Tables: lack, skip")
    found = {
        kind: tuple(
            _entry(raw, kind, f"{path}: {kind} {number}")
            for number, raw in enumerate(table.get(kind, []), 1)
        )
        for kind in _SUBJECTS
    }
    return SkipList(found["skip"], found["lack"])


def _entry(raw: Any, kind: str, where: str) -> Entry:
    subject = _SUBJECTS[kind]
    keys = _KEYS[kind] | {subject}
    if not isinstance(raw, dict):
        raise UsageError(f"{where}: a table is wanted", hint="Write [[lack]] or [[skip]].")
    unknown = sorted(set(raw) - keys)
    if unknown:
        hint = f"Keys: {sorted(keys)}"
        raise UsageError(f"{where}: unknown key {unknown[0]}", hint=hint)
    reason = raw.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        raise UsageError(f"{where}: no reason", hint='Say why: reason = "..."')
    patterns = _strings(raw.get(subject, []), f"{where}: {subject}")
    if not patterns:
        raise UsageError(f"{where}: names no {subject}")
    targets, expects = (
        _strings(raw.get(key, []), f"{where}: {key}") for key in ("targets", "expects")
    )
    return Entry(reason, patterns, targets, expects)


def _expected_lines(test: Test) -> list[str]:
    file = test.expected_file
    return file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []


def _strings(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise UsageError(f"{where}: a list of strings is wanted")
    if not all(isinstance(item, str) for item in value):
        raise UsageError(f"{where}: a list of strings is wanted")
    return tuple(value)


def _matches(name: str, pattern: str) -> bool:
    parts, patterns = name.split("/"), pattern.split("/")
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))
