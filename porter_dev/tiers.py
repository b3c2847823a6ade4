"""Pytest plugin: select a test tier, account for skips, and bound each test's share of the time.

tests/conftest.py loads this plugin, so that it is active in every run of the suite. The tiers are
*default* (no marker), *campaigns* (marker `campaign`, one row of campaigns.toml each) and *gpu*
(marker `gpu`, selected with `-m gpu`). docs/how-to/testing.md describes them.

Under pytest-xdist the accounting takes place in the controller, which receives the reports of all
workers. The workers only select tests.
"""

from __future__ import annotations

import fnmatch
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import field, frozen

from porter_dev import builds
from porter_dev.campaigns import campaigns
from porter_dev.tables import ROOT, read_table, rows

TABLE = ROOT / "porter_dev" / "tiers.toml"
ALL = "all"


@frozen
class AllowedSkip:
    """A skip that CI accepts.

    Attributes:
        tests: A glob over node ids.
        reason: A regular expression that the skip's reason must contain a match of.
        why: Why the test cannot run in CI.
    """

    tests: str
    reason: str
    why: str

    def covers(self, test: str, reason: str) -> bool:
        """Return whether this entry accepts the skip of `test` with `reason`."""
        return fnmatch.fnmatchcase(test, self.tests) and re.search(self.reason, reason) is not None


@frozen
class Shares:
    """Upper bounds of the default tier's time, as fractions of its total test time.

    Attributes:
        test: The largest share of one test.
        folder: The largest share of a folder below tests/ that `folders` does not name.
        folders: The largest share by folder name.
    """

    test: float
    folder: float
    folders: Mapping[str, float] = field(factory=dict)

    def exceeded(self, seconds: Mapping[str, float]) -> list[str]:
        """Return one message per test and folder that exceeds its share.

        Args:
            seconds: Setup, call and teardown time of each test, in seconds, by node id.
        """
        total = sum(seconds.values())
        found = [
            f"{test} takes {taken / total:.1%} of the tier's time; the limit is {self.test:.1%}"
            for test, taken in sorted(seconds.items())
            if taken > self.test * total
        ]
        for folder, taken in sorted(by_folder(seconds).items()):
            limit = self.folders.get(folder, self.folder)
            if taken > limit * total:
                share = f"{taken / total:.1%} of the tier's time; the limit is {limit:.1%}"
                found.append(f"tests/{folder} takes {share}")
        return found


def by_folder(seconds: Mapping[str, float]) -> dict[str, float]:
    """Return the sum of test times by folder below tests/, in seconds."""
    found: dict[str, float] = defaultdict(float)
    for test, taken in seconds.items():
        parts = test.split("::")[0].split("/")
        found[parts[1] if len(parts) > 2 else "."] += taken
    return dict(found)


def allowed_skips() -> tuple[AllowedSkip, ...]:
    """Return the allow-list of skips, in the order of tiers.toml."""
    return rows(TABLE, "skip", AllowedSkip)


def shares() -> Shares:
    """Return the time shares of tiers.toml."""
    table = read_table(TABLE)["shares"]
    return Shares(table["test"], table["folder"], table.get("folders", {}))


def unexpected(
    skips: Iterable[tuple[str, str]], allowed: Iterable[AllowedSkip]
) -> list[tuple[str, str]]:
    """Return the skips that no entry of the allow-list covers.

    Args:
        skips: Pairs of node id and reason.
        allowed: The allow-list.
    """
    entries = list(allowed)
    return [
        (test, reason)
        for test, reason in skips
        if not any(entry.covers(test, reason) for entry in entries)
    ]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add this plugin's options to pytest's command line."""
    group = parser.getgroup("tiers", "test tiers (docs/how-to/testing.md)")
    group.addoption(
        "--campaign",
        action="append",
        default=[],
        metavar="NAME",
        help="run the tests of this campaign instead of the default tier; `all` for every one",
    )
    group.addoption(
        "--strict-skips",
        action="store_true",
        help="fail when a test is skipped that porter_dev/tiers.toml does not allow to skip",
    )
    group.addoption(
        "--check-shares",
        action="store_true",
        help="fail when a test or a folder exceeds its share of the run's time (tiers.toml)",
    )
    group.addoption(
        "--durations-to",
        type=Path,
        metavar="FILE",
        help="write the time of each test, in seconds, as JSON",
    )
    group.addoption(
        "--first",
        action="append",
        default=[],
        metavar="PATH",
        help="run the tests below this path before the others",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the accounting; a worker of xdist has none."""
    known = {campaign.name for campaign in campaigns()}
    for name in config.getoption("--campaign"):
        if name != ALL and name not in known:
            raise pytest.UsageError(
                f"--campaign {name}: there is no such row in porter_dev/campaigns.toml; "
                f"the rows are {', '.join(sorted(known))}"
            )
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Accounting(config), "porter-tiers-accounting")


def campaigns_of(item: pytest.Item) -> set[str]:
    """Return the names of the campaigns that a test belongs to; empty for the default tier.

    Raises:
        pytest.UsageError: A marker names no row of campaigns.toml.
    """
    named = {str(name) for mark in item.iter_markers("campaign") for name in mark.args}
    unknown = named - {campaign.name for campaign in campaigns()}
    if unknown:
        raise pytest.UsageError(f"{item.nodeid}: no campaign is named {', '.join(sorted(unknown))}")
    return named


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of other tiers and move the folders of `--first` to the front.

    A test that the command line names by its node id runs whatever its tier.
    """
    asked = set(config.getoption("--campaign"))
    by_name = any("::" in argument for argument in config.args)
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        named = campaigns_of(item)
        if asked:
            chosen = bool(named) if ALL in asked else bool(named & asked)
        else:
            chosen = not named or by_name
        (kept if chosen else left).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
    first = config.getoption("--first")
    if first:
        kept.sort(key=lambda item: _place(item.nodeid, first))
    items[:] = kept


def _place(test: str, first: list[str]) -> int:
    """Return the index of the first path of `first` that `test` is below, or their number."""
    below = (re.match(rf"{re.escape(path.rstrip('/'))}(/|::|$)", test) for path in first)
    return next((k for k, match in enumerate(below) if match), len(first))


class _Accounting:
    """The skips and times of one run, checked and written at its end."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.skips: list[tuple[str, str]] = []
        self.seconds: dict[str, float] = defaultdict(float)
        self.builds = builds.fingerprints()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration
        if report.skipped and not hasattr(report, "wasxfail"):
            self.skips.append((report.nodeid, reason_of(report.longrepr)))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.skips.append((report.nodeid, reason_of(report.longrepr)))

    def problems(self) -> list[str]:
        """Return what this run violates, one message each."""
        found = []
        if self.config.getoption("--strict-skips"):
            for test, reason in unexpected(sorted(set(self.skips)), allowed_skips()):
                found.append(f"{test} was skipped ({reason}); tiers.toml does not allow that")
        if self.config.getoption("--check-shares"):
            found += shares().exceeded(self.seconds)
        found += builds.changed(self.builds)
        return found

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.config.option.collectonly:
            return
        if (path := self.config.getoption("--durations-to")) is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            rounded = {test: round(taken, 3) for test, taken in sorted(self.seconds.items())}
            path.write_text(json.dumps(rounded, indent=0) + "\n")
        self.found = self.problems()
        if self.found and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        found = getattr(self, "found", [])
        if found:
            terminalreporter.section("test tiers")
            for message in found:
                terminalreporter.line(message)


def reason_of(longrepr: object) -> str:
    """Return a skip's reason without pytest's prefix."""
    text = str(longrepr[2]) if isinstance(longrepr, tuple) else str(longrepr)
    return text.removeprefix("Skipped: ")
