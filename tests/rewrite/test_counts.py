"""How many checks a whole release gets: a lost pruning shows here, and so does a lost check."""

from __future__ import annotations

import pytest

from porter.base import paths
from porter.config import BuildConfig
from porter.pipeline import Build, RewrittenSources, rewrite_sources
from porter.rewrite.stage import RewriteReport

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("host build")]

RELEASE = "1.26.1"
# Counted by `porter regress` (porter/regress/baseline.json; what they cost: docs/unwinding.md).
# Fewer is as wrong as more: a call without its check goes on after an exception, a recursion
# without its guard overflows the stack.
# In upstream's units; the port's and the library's grow with porter.
CHECKS = 4076
GUARDS = 134
POLLS = 475
TOLERANCE = 0.01  # for what patches and the port's configuration change in them


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory: pytest.TempPathFactory) -> RewrittenSources:
    """The release, rewritten in a folder of its own."""
    if not (paths.upstream_dir() / RELEASE / "py").is_dir():
        pytest.skip(f"{RELEASE} is not synced")
    folder = tmp_path_factory.mktemp("counts")
    return rewrite_sources(BuildConfig(release=RELEASE), folder=folder, jobs=2)


@pytest.fixture(scope="module")
def report(rewritten: RewrittenSources) -> RewriteReport:
    """Its edits and program."""
    return rewritten.report


@pytest.mark.parametrize(
    ("rule", "stored"), [("unwinding", CHECKS), ("recursion", GUARDS), ("polls", POLLS)]
)
def test_edits_are_as_many_as_measured(report: RewriteReport, rule: str, stored: int) -> None:
    upstream = (n for n in report.edits if not n.startswith(("port_", "libc_")))
    found = sum(report.edits[name].get(rule, 0) for name in upstream)
    assert found == pytest.approx(stored, rel=TOLERANCE)


def test_pruning_leaves_leaves_alone(report: RewriteReport) -> None:
    raising = report.program.raising
    assert {"nlr_jump", "mp_raise_TypeError", "m_malloc", "mp_execute_bytecode"} <= raising
    assert not {"porter_strlen", "utf8_get_char", "qstr_str", "mpz_cmp"} & raising


def test_another_folder_gives_the_same_cxx(rewritten: RewrittenSources, built: Build) -> None:
    """Byte by byte, the whole release: `built` was rewritten elsewhere, maybe step by step."""
    if not built.sources.name.startswith(f"{RELEASE}-"):
        pytest.skip(f"the build here is not of {RELEASE}")
    one, two = (
        {
            path.name: path.read_bytes()
            for path in sorted((folder / "cxx").iterdir())
            if path.suffix in (".cpp", ".h")
        }
        for folder in (rewritten.folder, built.sources)
    )
    assert one.keys() == two.keys() and len(one) > 100
    assert [name for name in one if one[name] != two[name]] == []
