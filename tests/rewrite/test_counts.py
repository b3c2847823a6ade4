"""How many checks a whole release gets: a lost pruning shows here, and so does a lost check."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter import paths
from porter.config import BuildConfig
from porter.generate import Layout, generate
from porter.preprocess import preprocess
from porter.rewrite.stage import RewriteReport, rewrite

pytestmark = pytest.mark.slow

RELEASE = "1.26.1"
# Measured with benchmarks/unwinding.py (docs/unwinding.md). Fewer is as wrong as more: a call
# without its check goes on after an exception, a recursion without its guard overflows the stack.
CHECKS = 3921
GUARDS = 114
TOLERANCE = 0.03  # for what the port and the libc headers grow by


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> RewriteReport:
    """The release, rewritten in a folder of its own."""
    if not (paths.upstream_dir() / RELEASE / "py").is_dir():
        pytest.skip(f"{RELEASE} is not synced")
    config = BuildConfig(release=RELEASE)
    layout = Layout.of(RELEASE, tmp_path_factory.mktemp("counts"))
    texts = preprocess(layout, generate(config, layout), jobs=2)
    units: dict[str, Path] = {done.unit.name: done.path for done in texts}
    return rewrite(units, layout.build / "cxx", jobs=2)


@pytest.mark.parametrize(("rule", "stored"), [("unwinding", CHECKS), ("recursion", GUARDS)])
def test_edits_are_as_many_as_measured(report: RewriteReport, rule: str, stored: int) -> None:
    assert report.per_rule()[rule] == pytest.approx(stored, rel=TOLERANCE)


def test_pruning_leaves_leaves_alone(report: RewriteReport) -> None:
    raising = report.program.raising
    assert {"nlr_jump", "mp_raise_TypeError", "m_malloc", "mp_execute_bytecode"} <= raising
    assert not {"porter_strlen", "utf8_get_char", "qstr_str", "mpz_cmp"} & raising
