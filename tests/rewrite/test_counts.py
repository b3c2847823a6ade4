"""The number of checks in a whole release: lost pruning shows here, and so does a lost check."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from porter.config import BuildConfig
from porter.pipeline import Build, rewrite_sources
from porter.regress.baseline import SHIPPED as BASELINE
from porter.rewrite.rewrite_stage import RewriteReport
from porter.run.built import open_build

# `porter regress` counts these (docs/lab/unwinding.md has their costs). Fewer is as wrong as more:
# a call without its check continues after an exception, a recursion without its guard overflows
# the stack.
RULES = ("unwinding", "recursion", "polls")
TOLERANCE = 0.01  # a part of the count that patches and the port's configuration may change
TOLERANCE_OF_A_NEW_RELEASE = 0.1  # against the newest release of the baseline


def upstream_edits(edits: Mapping[str, Mapping[str, int]], rule: str) -> int:
    """Count the edits of a rule in upstream's units.

    Args:
        edits: The edits per rule of each unit. Names of the port's units and of the C library's
            start with `port` and `libc`.
        rule: The rule.

    Returns:
        The number of edits.
    """
    upstream = (unit for unit in edits if not unit.startswith(("port", "libc")))
    return sum(edits[unit].get(rule, 0) for unit in upstream)


@pytest.fixture(scope="module")
def config(built: Build) -> BuildConfig:
    """Return the configuration of the shared build's C++."""
    return BuildConfig(release=str(open_build(built.folder).config["release"]), target="host")


@pytest.fixture(scope="module")
def report(config: BuildConfig, built: Build) -> RewriteReport:
    """Return the edits and the program of the shared build, which is not modified."""
    done = rewrite_sources(config, jobs=2)
    assert done.folder == built.sources and not done.report.rewritten
    return done.report


@pytest.mark.parametrize("rule", RULES)
def test_edits_are_as_many_as_in_the_baseline(
    report: RewriteReport, built: Build, rule: str
) -> None:
    releases = json.loads(BASELINE.read_text())["releases"]
    release = str(open_build(built.folder).config["release"])
    known = release in releases
    stored = releases[release if known else max(releases, key=version)]["units"]
    tolerance = TOLERANCE if known else TOLERANCE_OF_A_NEW_RELEASE
    found = upstream_edits(report.edits, rule)
    assert found > 50
    assert found == pytest.approx(upstream_edits(stored, rule), rel=tolerance)


def version(release: str) -> tuple[int, ...]:
    """Return the numbers of a release's name, which order releases."""
    return tuple(int(number) for number in re.findall(r"\d+", release))


def test_pruning_leaves_leaves_alone(report: RewriteReport) -> None:
    raising = report.program.raising
    assert {"nlr_jump", "mp_raise_TypeError", "m_malloc", "mp_execute_bytecode"} <= raising
    assert not {"porter_strlen", "utf8_get_char", "qstr_str", "mpz_cmp"} & raising


@pytest.mark.campaign("releases")
def test_another_folder_gives_the_same_cxx(
    config: BuildConfig, built: Build, tmp_path: Path
) -> None:
    """The whole release is byte-identical: `built` was rewritten elsewhere, maybe incrementally."""
    rewrite_sources(config, folder=tmp_path, jobs=2)
    one, two = (
        {
            path.name: path.read_bytes()
            for path in sorted((folder / "cxx").iterdir())
            if path.suffix in (".cpp", ".h")
        }
        for folder in (tmp_path, built.sources)
    )
    assert one.keys() == two.keys() and len(one) > 100
    assert [name for name in one if one[name] != two[name]] == []
