"""Sync: sources are verified, and damaged sources are never accepted."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from porter import cli
from porter.base.release_name import version_key
from porter.errors import CorruptSource, SyncFailed, UnknownRelease, UsageError
from porter.sync import origins, store, synchronization
from porter.sync.lock import local_lock_file, read_lock
from porter.sync.store import inspect, is_synced, synced_releases
from porter.sync.synchronization import sync
from porter.sync.trees import copy_tree

from .conftest import MakeTree


def leftovers(home: Path) -> list[str]:
    return [p.name for p in (home / "upstream/.work").iterdir() if p.name != "lock"]


def give(monkeypatch: pytest.MonkeyPatch, tree: Path) -> list[str]:
    """Make the `git` origin return copies of `tree`; return the list of its calls."""
    calls: list[str] = []

    def fetch(entry: object, stage: Path) -> tuple[Path, str]:
        calls.append("git")
        return copy_tree(tree, stage / "git"), "git tag"

    monkeypatch.setitem(origins.ORIGINS, "git", fetch)
    return calls


def test_folder_is_copied_verified_and_fast_the_next_time(
    home: Path, locked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = give(monkeypatch, locked)
    done = sync()
    assert (done.release, done.state, done.origin) == ("1.26.1", "verified", "git tag")
    assert (done.path / "py/vm.c").read_text() == (locked / "py/vm.c").read_text()
    assert sync("1.26.1").state == "verified"
    assert calls == ["git"]
    assert sync("1.26.1", force=True).state == "verified"
    assert calls == ["git", "git"]
    assert leftovers(home) == []


def test_name_comes_from_the_tree(home: Path, make_tree: MakeTree) -> None:
    assert sync(source=make_tree("a", "1.27.0", preview=1)).release == "1.27.0-preview"
    assert sync("mine", source=make_tree("b", "1.27.0")).release == "mine"
    assert synced_releases() == ["mine", "1.27.0-preview"]
    assert set(read_lock(local_lock_file()).entries) == {"mine", "1.27.0-preview"}
    assert inspect("mine").state == "verified"


def test_wrong_hash_keeps_what_was_there(
    home: Path, locked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync("1.26.1", source=locked)
    (locked / "py/vm.c").write_text("int evil;\n")
    with pytest.raises(CorruptSource, match="not what the lock says"):
        sync("1.26.1", source=locked)
    give(monkeypatch, locked)
    with pytest.raises(CorruptSource):
        sync("1.26.1", origins=["git"], force=True)
    assert inspect("1.26.1").state == "verified"
    assert leftovers(home) == []


def test_modified_tree_is_told_and_replaced_on_demand(
    locked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, locked)
    path = sync("1.26.1").path
    (path / "py/vm.c").write_text("int edited;\n")
    assert inspect("1.26.1").state == "modified"
    with pytest.raises(CorruptSource, match="it was modified"):
        sync("1.26.1")
    assert sync("1.26.1", force=True).state == "verified"
    assert inspect("1.26.1").state == "verified"


def test_what_python_leaves_in_a_tree_does_not_count(locked: Path) -> None:
    path = sync("1.26.1", source=locked).path
    (path / "py/__pycache__").mkdir()
    (path / "py/__pycache__/x.pyc").write_bytes(b"x")
    assert inspect("1.26.1").state == "verified"


@pytest.mark.parametrize("gone", ["py/mpconfig.h", "extmod/extmod.mk", "shared"])
def test_not_a_micropython_tree(home: Path, make_tree: MakeTree, gone: str) -> None:
    root = make_tree()
    victim = root / gone
    shutil.rmtree(victim) if victim.is_dir() else victim.unlink()
    with pytest.raises(CorruptSource, match=gone):
        sync(source=root)
    assert synced_releases() == []


def test_tree_without_a_version(home: Path, make_tree: MakeTree) -> None:
    root = make_tree()
    (root / "py/mpconfig.h").write_text("// nothing\n")
    with pytest.raises(CorruptSource, match="names no release"):
        sync(source=root)
    assert sync("1.30.0", source=root).release == "1.30.0"


@pytest.mark.parametrize("text", ["", "[]", '{"release": 3}', '{"hashed": "sha256:0", "files": 1}'])
def test_a_damaged_stamp_is_made_anew(locked: Path, text: str) -> None:
    path = sync("1.26.1", source=locked).path
    (path / store.STAMP).write_text(text)
    assert inspect("1.26.1").state == "verified"


def test_unknown_release(locked: Path) -> None:
    with pytest.raises(UnknownRelease, match=r"'9.9'; known: 1.26.1"):
        sync("9.9")
    with pytest.raises(UnknownRelease, match="is not synced"):
        inspect("1.26.1")
    assert cli.execute(["sync", "9.9"]) == 3


def test_missing_path(home: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        sync(source=home / "nowhere")


def test_no_network_says_what_was_tried(
    locked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SyncFailed) as caught:
        sync("1.26.1")
    lines = str(caught.value).splitlines()
    assert [line.split(":")[0].strip() for line in lines[1:]] == list(origins.ORIGINS)
    assert "no git on this machine" in str(caught.value)
    assert "no apt on this machine" in str(caught.value)
    assert cli.execute(["sync", "1.26.1"]) == 4
    assert "--from" in capsys.readouterr().err
    assert not is_synced("1.26.1")


def test_submodule_must_hold_the_release(
    home: Path, locked: Path, make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    submodule = home / "upstream/micropython"
    shutil.copytree(make_tree("other", "1.20.0"), submodule)
    with pytest.raises(SyncFailed, match=r"is at 1.20.0"):
        sync("1.26.1", origins=["submodule"])
    shutil.rmtree(submodule)
    shutil.copytree(locked, submodule)
    assert sync("1.26.1").origin == "submodule upstream/micropython"
    assert synced_releases() == ["1.26.1"]


def test_new_release_is_recorded(
    home: Path, locked: Path, make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, make_tree("new", "1.27.0"))
    assert sync("1.27.0", origins=["git"], new=True).state == "verified"
    entry = read_lock(local_lock_file()).get("1.27.0")
    assert entry.tree == inspect("1.27.0").tree and entry.tag == "v1.27.0"
    assert "1.27.0" not in read_lock(home / "lock.toml").entries
    sync("1.27.0", origins=["git"], record=True)
    assert read_lock(home / "lock.toml").newest().release == "1.27.0"


def test_real_git_repository(home: Path, locked: Path, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    shutil.copytree(locked, repo)
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for args in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"], ["tag", "v1.26.1"]):
        subprocess.run(["git", *identity, *args], cwd=repo, check=True)
    (home / "gitmodules").write_text(f'[submodule "upstream/micropython"]\n\turl = file://{repo}\n')
    done = sync("1.26.1", origins=["git"])
    assert (done.state, done.origin) == ("verified", "git tag v1.26.1")
    assert not (done.path / ".git").exists()
    with pytest.raises(SyncFailed, match=r"no tag v1\.99"):
        sync("1.99", origins=["git"], new=True)


def test_killed_in_the_middle(home: Path, locked: Path) -> None:
    # The child stages the whole tree, starts to verify it, and dies there as if unplugged.
    code = (
        "import os, sys; from pathlib import Path; from porter.base import paths;"
        "from porter.sync import store, synchronization;"
        f"paths.lock_file = lambda: Path({str(home / 'lock.toml')!r});"
        "store.tree_hash = lambda root: os.kill(os.getpid(), 9);"
        f"synchronization.sync('1.26.1', source=Path({str(locked)!r}))"
    )
    root = Path(__file__).parents[2]
    env = {**os.environ, "PORTER_HOME": str(home), "PYTHONPATH": str(root)}
    child = subprocess.run([sys.executable, "-c", code], env=env, check=False)
    assert child.returncode == -signal.SIGKILL
    assert leftovers(home) != []
    assert synced_releases() == [] and not is_synced("1.26.1")
    assert sync("1.26.1", source=locked).state == "verified"
    assert leftovers(home) == []


def test_failure_between_the_renames_loses_no_good_tree(
    home: Path, locked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync("1.26.1", source=locked)

    def refuse(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, pytest.raises(OSError):
        patch.setattr(Path, "rename", refuse)
        sync("1.26.1", source=locked)
    assert inspect("1.26.1").state == "verified"


def test_ensure_syncs_once(locked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = give(monkeypatch, locked)
    assert synchronization.ensure("1.26.1") == synchronization.ensure("1.26.1")
    assert calls == ["git"]


def test_releases_sort_by_number() -> None:
    names = ["1.9.4", "1.27.0", "1.27.0-preview", "1.26.1", "mine"]
    assert sorted(names, key=version_key) == [
        "mine",
        "1.9.4",
        "1.26.1",
        "1.27.0-preview",
        "1.27.0",
    ]


def test_releases_command(locked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sync("1.26.1", source=locked)
    assert cli.execute(["releases", "--json"]) == 0
    out = capsys.readouterr().out
    assert '"release": "1.26.1"' in out and '"state": "verified"' in out
    assert cli.execute(["releases"]) == 0
    assert "1.26.1" in capsys.readouterr().out
