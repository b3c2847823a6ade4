"""`porter sync --latest`: the newest final release that an origin has."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from porter import cli
from porter.errors import SyncFailed, UsageError
from porter.sync.lock import local_lock_file, read_lock
from porter.sync.release_list import newest_online
from porter.sync.store import synced_releases

from .conftest import MakeTree, commit, only_git, point_to


@pytest.fixture(autouse=True)
def no_apt(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PORTER_SOURCES", raising=False)
    only_git(home, monkeypatch)


def test_a_release_that_the_lock_does_not_know(
    home: Path, locked: Path, make_tree: MakeTree, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = make_tree("repository", "1.29.0")
    commit(repository, "v1.29.0", "v1.30.0-preview")
    point_to(home, repository)
    lock = (home / "lock.toml").read_bytes()
    assert cli.execute(["sync", "--latest"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("1.29.0: verified, from git tag v1.29.0")
    assert "distribution: no apt" in said.err
    assert synced_releases() == ["1.29.0"]
    assert "1.29.0" in read_lock(local_lock_file()).entries
    assert (home / "lock.toml").read_bytes() == lock
    assert cli.execute(["sync", "--latest", "--record"]) == 0
    assert read_lock(home / "lock.toml").newest().release == "1.29.0"


def test_the_newest_of_all_origins(
    home: Path, locked: Path, make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = make_tree("repository", "1.27.0")
    commit(repository, "v1.27.0")
    point_to(home, repository)
    assert newest_online() == "1.27.0"
    shutil.copytree(make_tree("b", "1.28.0"), home / "upstream/micropython")
    assert newest_online() == "1.28.0"
    monkeypatch.setenv("PORTER_SOURCES", str(make_tree("c", "1.28.1")))
    assert newest_online() == "1.28.1"
    assert newest_online(origins=["git", "submodule"]) == "1.28.0"
    assert cli.execute(["sync", "--latest", "--origin", "git", "-q"]) == 0
    assert synced_releases() == ["1.27.0"]


def test_without_an_origin_the_lock_has_the_newest(home: Path, locked: Path) -> None:
    said: list[str] = []
    assert newest_online(said.append) == "1.26.1"
    assert said[0].startswith("git: fatal: ")
    assert cli.execute(["sync", "--latest"]) == SyncFailed.exit_code


@pytest.mark.parametrize("origins", [[], ["git", "sources"]])
def test_no_release_at_all(home: Path, origins: list[str]) -> None:
    with pytest.raises(SyncFailed, match=r"no release in .*git.*\n  git: fatal: ") as caught:
        newest_online(origins=origins)
    assert "PORTER_SOURCES" in str(caught.value.hint)


@pytest.mark.parametrize("args", [["1.26.1"], ["master"], ["--from", "."]])
def test_latest_excludes(home: Path, capsys: pytest.CaptureFixture[str], args: list[str]) -> None:
    assert cli.execute(["sync", "--latest", *args]) == UsageError.exit_code
    assert "--latest excludes RELEASE and --from" in capsys.readouterr().err
