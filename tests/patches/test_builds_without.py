"""Builds without patches: their reports, and upstream's suite on them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import pytest
from rich.console import Console

from porter import cli, pipeline
from porter.base import paths
from porter.cli import _building
from porter.compile import compile_build
from porter.compile.compile_stage import Compiled
from porter.config import BuildConfig
from porter.conformance.suite import Events
from porter.doctor import examine
from porter.errors import PatchDrift, PatchMissing, UsageError
from porter.manifest import Patches, SkippedPatch, open_manifest
from porter.patches import load_series
from porter.pipeline import Build, build, sources_of
from porter.regress.baseline import SHIPPED as BASELINE
from porter.regress.checks import StageMemory, conformance_config, run_tests
from porter.sync.lock import newest_release
from porter_dev import builds
from tests.fake_build import fake_build

LACKS = SkippedPatch("fail-allocation", "tooling", "nothing can fail", "no such function", False)
LEFT_OUT = SkippedPatch("texts", "performance", "hashing is slow", "left out", True)
OPTIONAL = sorted({patch.name for patch in load_series() if patch.class_ != "required"})
ALL = "performance,bugfix,tooling"


@pytest.fixture(scope="module")
def lacking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a finished build of the stub interpreter that lacks two patches."""
    folder = tmp_path_factory.mktemp("lacking") / "0.0.0-0"
    fake_build(folder)
    patches = Patches(("nan-boxing",), (LACKS, LEFT_OUT))
    return compile_build(BuildConfig(release="0.0.0"), folder, patches=patches, jobs=2).folder


def test_a_manifest_has_the_patches(lacking: Path) -> None:
    assert open_manifest(lacking).patches == Patches(("nan-boxing",), (LACKS, LEFT_OUT))
    document = json.loads((lacking / "build.json").read_text())
    assert document["patches"]["skipped"][0]["class"] == "tooling"


def test_a_build_of_a_tested_release_lacks_nothing(built: Build) -> None:
    """No patch is skipped, neither for its place nor for an unreadable unit; no body is unknown."""
    if builds.release() not in json.loads(BASELINE.read_text())["releases"]:
        pytest.skip("the newest release is not in the baseline")
    assert open_manifest(built.folder).patches.lacks == []


def test_doctor_says_what_builds_lack(lacking: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "build_dir", lambda: lacking.parents[1])
    found = next(one for one in examine() if one.name == "patches")
    assert (found.state, found.detail) == (
        "lacks",
        "skipped in 0.0.0: fail-allocation (nothing can fail)",
    )
    assert "porter patch check" in found.advice
    monkeypatch.setattr(paths, "build_dir", lambda: lacking / "nothing")
    assert next(one for one in examine() if one.name == "patches").state == "ok"


def test_a_tool_without_its_patch_says_so(
    lacking: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = cli.execute(["sweep", "--build", str(lacking), "--target", "host"])
    assert code == PatchMissing.exit_code
    assert "porter sweep needs a build with the patch fail-allocation" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("always", "made", "said"), [(True, 0.0, 1), (False, 1.0, 1), (False, 0.0, 0)]
)
def test_a_build_says_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, always: bool, made: float, said: int
) -> None:
    compiled = Compiled(tmp_path, {}, made, 0)
    lacks = Patches((), (LACKS, LEFT_OUT))
    done = Build(tmp_path, tmp_path, 1, 0, {"compile": made}, compiled, lacks)
    monkeypatch.setattr(_building, "build", lambda *_, **__: done)
    console = Console(record=True, width=200, file=io.StringIO())
    _building.build_shown(BuildConfig(release="0.0.0"), console, always=always)
    text = console.export_text()
    assert text.count("porter: skipped fail-allocation: nothing can fail") == said
    assert "texts" not in text


def test_strict_refuses_before_anything_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A patch that does not fit this tree is an error with `strict`, and only then."""
    release = newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    wrong = tmp_path / "patches"
    wrong.mkdir()
    for file in paths.patches_dir().iterdir():
        (wrong / file.name).write_text(file.read_text())
    keyword = wrong / "parsing.toml"
    keyword.write_text(keyword.read_text().replace("tok_kw", "tok_gone"))
    monkeypatch.setattr(paths, "patches_dir", lambda: wrong)
    with pytest.raises(PatchDrift, match="skipped parsing: the lexer calls a function"):
        build(BuildConfig(release=release), folder=tmp_path / "build", strict=True)
    assert not (tmp_path / "build" / "cxx").exists()


def test_leaving_out_what_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    if not (paths.upstream_dir() / newest_release() / "py").is_dir():
        pytest.skip("no release is synced")
    assert cli.execute(["build", "--skip-patches", "text-hsh"]) == UsageError.exit_code
    assert "text-hsh is no patch" in capsys.readouterr().err


def test_names_are_sorted_and_part_of_the_key() -> None:
    config = BuildConfig(release="1", skip_patches=" b,a,,b ")
    assert config.skip_patches == "a,b" and config.patches_to_skip == ("a", "b")
    assert BuildConfig(release="1").patches_to_skip == ()
    assert config.source_key() != BuildConfig(release="1").source_key()
    assert sources_of(config) != sources_of(BuildConfig(release="1"))


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return one folder for all builds: only units that a patch changes are made again."""
    return tmp_path_factory.mktemp("without") / "sources"


@pytest.mark.campaign("skipped-patches")
@pytest.mark.parametrize("name", [ALL, *OPTIONAL])
def test_upstreams_suite_passes_without(name: str, sources: Path, tmp_path: Path) -> None:
    release = newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    config = attrs.evolve(conformance_config(release, "host"), skip_patches=name)
    done = build(config, folder=sources, jobs=2)
    skipped = {one.name for one in done.patches.skipped}
    if not skipped:
        pytest.skip(f"{release} wants no patch {name}")
    assert name == ALL or name in skipped
    tested = run_tests(config, done.folder, "host", "", StageMemory(tmp_path), Events())
    assert tested.reasons == {}


def test_an_up_to_date_build_knows_what_it_lacks(tmp_path: Path) -> None:
    """The stored record of a finished build has its patches; `strict` refuses skipped ones."""
    compiled = Compiled(tmp_path, {}, 0.0, 0)
    for patches in (Patches(("nan-boxing",)), Patches((), (LACKS,))):
        done = Build(tmp_path, tmp_path, 1, 0, {}, compiled, patches)
        kept = json.loads(json.dumps(pipeline._to_keep(done)))
        freshness: Any = SimpleNamespace(out=tmp_path, folder=tmp_path, path=tmp_path / "kept.json")
        assert pipeline._as_kept(freshness, kept, strict=False).patches == patches
        if patches.skipped:
            with pytest.raises(PatchDrift, match="nothing can fail"):
                pipeline._as_kept(freshness, kept, strict=True)
