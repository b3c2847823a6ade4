"""Finding libFuzzer, and a short campaign where there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.base import paths
from porter.config import BuildConfig
from porter.errors import ToolMissing
from porter.pipeline import build
from porter.sync.lock import newest_release
from porter_dev.fuzz.coverage_fuzzer import HARNESS, build_fuzzer, fuzz, libfuzzer, minimise


def test_no_libfuzzer_is_one_clear_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("PORTER_LIBFUZZER", raising=False)
    with pytest.raises(ToolMissing) as raised:
        libfuzzer()
    assert "libclang-rt" in (raised.value.hint or "")


def test_a_named_archive_must_be_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PORTER_LIBFUZZER", str(tmp_path / "nothing.a"))
    with pytest.raises(ToolMissing, match=r"nothing\.a"):
        libfuzzer()
    (tmp_path / "nothing.a").touch()
    assert libfuzzer() == tmp_path / "nothing.a"


@pytest.mark.campaign("fuzz")
def test_a_short_campaign(tmp_path: Path) -> None:
    release = newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    try:
        libfuzzer()
    except ToolMissing as error:
        pytest.skip(error.message)
    program = build_fuzzer(build(BuildConfig(release=release, arena="global")).sources)
    seeds = [HARNESS / "seeds"]
    for mode in ("run", "compile"):
        done = fuzz(program, mode, 5.0, tmp_path / mode, seeds)
        assert done.runs > 50 and done.corpus > 5
        assert not done.found, done.log[-4000:]
    corpora = [tmp_path / mode / "corpus" for mode in ("run", "compile")]
    size = minimise(program, corpora, tmp_path / "small", 5000, 200)
    files = list((tmp_path / "small").iterdir())
    assert files and size == sum(file.stat().st_size for file in files) <= 5000
    assert all(file.stat().st_size <= 200 for file in files)
