"""The checked-in list of tests that a build of ours does not pass, and why."""

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
_KEYS = {"reason", "tests", "targets", "releases"}


@attrs.frozen
class Skip:
    """One entry: tests that share a reason, everywhere or for some targets and releases."""

    reason: str
    tests: tuple[str, ...]
    targets: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()

    def applies(self, target: str, release: str) -> bool:
        """Whether the entry counts for ``target`` and ``release``."""
        here = not self.targets or target in self.targets
        return here and (not self.releases or any(fnmatchcase(release, r) for r in self.releases))

    def names(self, test: Test) -> bool:
        """Whether the entry is about ``test``."""
        return any(_matches(test.name, pattern) for pattern in self.tests)


@attrs.frozen
class SkipList:
    """The entries that count for one target and release."""

    entries: tuple[Skip, ...] = ()

    def reason(self, test: Test) -> str | None:
        """Why ``test`` is on the list, or None."""
        return next((skip.reason for skip in self.entries if skip.names(test)), None)


def load(target: str, release: str, path: Path = DEFAULT_LIST) -> SkipList:
    """The entries of ``path`` that count for ``target`` and ``release``.

    Raises UsageError for a list that is not readable or an entry without a reason.
    """
    entries = read_entries(path)
    return SkipList(tuple(skip for skip in entries if skip.applies(target, release)))


def read_entries(path: Path = DEFAULT_LIST) -> list[Skip]:
    """All entries of ``path``; raises UsageError as ``load`` does."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: not a readable skip list: {error}") from error
    return [
        _entry(raw, f"{path}: entry {number}")
        for number, raw in enumerate(table.get("skip", []), 1)
    ]


def _entry(raw: dict[str, Any], where: str) -> Skip:
    unknown = sorted(set(raw) - _KEYS)
    if unknown:
        raise UsageError(f"{where}: unknown key {unknown[0]}", hint=f"Keys: {sorted(_KEYS)}")
    reason = raw.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        raise UsageError(f"{where}: no reason", hint='Say why: reason = "needs ..."')
    tests = _strings(raw.get("tests", []), f"{where}: tests")
    if not tests:
        raise UsageError(f"{where}: names no tests")
    return Skip(
        reason,
        tests,
        _strings(raw.get("targets", []), f"{where}: targets"),
        _strings(raw.get("releases", []), f"{where}: releases"),
    )


def _strings(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise UsageError(f"{where}: a list of strings is wanted")
    if not all(isinstance(item, str) for item in value):
        raise UsageError(f"{where}: a list of strings is wanted")
    return tuple(value)


def _matches(name: str, pattern: str) -> bool:
    parts, patterns = name.split("/"), pattern.split("/")
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))
