"""The origin PORTER_SOURCES: its sources are identified by content, and verified."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from porter import cli
from porter.doctor import examine
from porter.errors import CorruptSource, SyncFailed
from porter.sync.folder import sources_releases
from porter.sync.lock import LockEntry, local_lock_file, read_lock
from porter.sync.release_list import newest_online
from porter.sync.store import is_synced
from porter.sync.synchronization import sync
from tests.sync.test_unpack import pack

from .conftest import MakeTree


@pytest.fixture
def folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, named by the variable."""
    made = home / "sources"
    made.mkdir()
    monkeypatch.setenv("PORTER_SOURCES", str(made))
    return made


def test_tarball_by_name(folder: Path, locked: Path) -> None:
    pack(locked, folder / "micropython-1.26.1.tar.xz")
    done = sync("1.26.1", origins=["sources"])
    assert (done.state, done.origin) == ("verified", "archive micropython-1.26.1.tar.xz")


@pytest.mark.parametrize("name", ["upstream.tar.gz", "upstream.zip", "micropython-9.9.9.tar"])
def test_tarball_by_content(folder: Path, locked: Path, make_tree: MakeTree, name: str) -> None:
    pack(make_tree("other", "1.20.0"), folder / "a.tar")
    pack(locked, folder / name)
    assert sync("1.26.1", origins=["sources"]).origin == f"archive {name}"


def test_tree_and_the_one_that_the_lock_knows(folder: Path, locked: Path) -> None:
    shutil.copytree(locked, folder / "1.26.1-mine")
    (folder / "1.26.1-mine/py/vm.c").write_text("int edited;\n")
    with pytest.raises(CorruptSource, match="not what the lock says"):
        sync("1.26.1", origins=["sources"])
    assert not is_synced("1.26.1")
    shutil.copytree(locked, folder / "a tree")
    assert sync("1.26.1", origins=["sources"]).origin == "folder a tree"


def test_the_folder_may_be_the_tree(locked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORTER_SOURCES", str(locked))
    assert sync("1.26.1").state == "verified"


def test_what_it_lacks(folder: Path, locked: Path, make_tree: MakeTree) -> None:
    with pytest.raises(SyncFailed, match="it has no tree and no archive"):
        sync("1.26.1", origins=["sources"])
    pack(make_tree("other", "1.20.0"), folder / "x.tar")
    (folder / "broken.tar.xz").write_bytes(b"\xfd7zXZ\0 no more")
    (folder / "notes.txt").write_text("1.26.1")
    with pytest.raises(
        SyncFailed, match=r"nothing of 1\.26\.1; it has broken\.tar\.xz.*, 1\.20\.0"
    ):
        sync("1.26.1", origins=["sources"])


@pytest.mark.parametrize(("make", "message"), [(False, "no such folder"), (True, "is no folder")])
def test_folder_that_is_none(
    home: Path, locked: Path, monkeypatch: pytest.MonkeyPatch, make: bool, message: str
) -> None:
    if make:
        (home / "nowhere").touch()
    monkeypatch.setenv("PORTER_SOURCES", str(home / "nowhere"))
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SyncFailed, match=message) as caught:
        sync("1.26.1")
    assert "no apt on this machine" in str(caught.value)  # the other origins were tried


def test_the_lock_names_no_path(
    home: Path, folder: Path, locked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock contains no path of PORTER_SOURCES, of --from, or of the local lock."""
    archive = home / "micropython-1.27.0.tar.gz"
    tree = pack(locked, archive)
    sync("1.27.0", source=tree)  # now the local lock knows it, path and all
    assert str(home) in read_lock(local_lock_file()).get("1.27.0").origin
    shutil.copy(archive, folder)
    pack(locked.parent / "tree", folder / "x.tar")
    entry = _recorded(home, "1.27.0", source=tree)
    assert entry.origin == "archive micropython-1.27.0.tar.gz"
    (folder / "y").mkdir()
    text = (locked / "py/mpconfig.h").read_text().replace("MINOR 26", "MINOR 28")
    (locked / "py/mpconfig.h").write_text(text)
    shutil.copytree(locked, folder / "1.28.1")
    entry = _recorded(home, "1.28.1")
    assert (entry.origin, entry.tag) == ("folder 1.28.1", "v1.28.1")
    assert str(home) not in (home / "lock.toml").read_text()


def _recorded(home: Path, release: str, source: Path | None = None) -> LockEntry:
    sync(release, source=source, record=True)
    return read_lock(home / "lock.toml").get(release)


def test_git_archives_name_their_commit(folder: Path, locked: Path) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for args in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run(["git", *identity, *args], cwd=locked, check=True)
    target = str(folder / "a.tar.gz")
    subprocess.run(["git", "archive", "--prefix=m/", "-o", target, "HEAD"], cwd=locked, check=True)
    head = ["git", "rev-parse", "HEAD"]
    commit = subprocess.run(head, cwd=locked, capture_output=True, text=True).stdout.strip()
    shutil.rmtree(locked / ".git")
    assert sync("1.26.1").origin == f"git commit {commit} (archive a.tar.gz)"


def test_what_is_there_is_listed(
    folder: Path, locked: Path, make_tree: MakeTree, capsys: pytest.CaptureFixture[str]
) -> None:
    pack(locked, folder / "unnamed.tar")
    (folder / "micropython-1.99.0.tar.xz").write_bytes(b"not read: its name says it")
    shutil.copytree(make_tree("other", "1.98.0"), folder / "tree")
    assert sources_releases() == {
        "1.26.1": ["unnamed.tar"],
        "1.98.0": ["tree"],
        "1.99.0": ["micropython-1.99.0.tar.xz"],
    }
    found = {one.name: one for one in examine()}["PORTER_SOURCES"]
    assert (found.state, found.detail) == ("ok", "1.26.1, 1.98.0, 1.99.0")
    path, os.environ["PATH"] = os.environ["PATH"], "/nonexistent"
    try:
        assert newest_online() == "1.99.0"
        assert cli.execute(["releases", "--online", "--json"]) == 0
    finally:
        os.environ["PATH"] = path
    assert "sources micropython-1.99.0.tar.xz" in capsys.readouterr().out


def test_doctor_says_that_the_folder_is_not_there(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORTER_SOURCES", str(home / "nowhere"))
    found = {one.name: one for one in examine()}["PORTER_SOURCES"]
    assert (found.state, "no such folder" in found.detail) == ("broken", True)
    monkeypatch.delenv("PORTER_SOURCES")
    assert {one.name: one for one in examine()}["PORTER_SOURCES"].state == "ok"
