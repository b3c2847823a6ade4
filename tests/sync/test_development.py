"""`porter sync master`: upstream's development branch, under a name that no release has."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from porter import cli
from porter.config import BuildConfig
from porter.errors import CorruptSource, SyncFailed, UsageError
from porter.sync.lock import Lock, LockEntry, local_lock_file, read_lock, write_lock
from porter.sync.store import inspect, synced_releases
from porter.sync.synchronization import sync
from porter.sync.trees import tree_hash

from .conftest import MakeTree, commit, point_to


@pytest.fixture(autouse=True)
def no_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PORTER_SOURCES", raising=False)


@pytest.fixture
def repository(home: Path, make_tree: MakeTree) -> Path:
    """Return upstream's repository, at a preview of 1.29.0."""
    root = make_tree("repository", "1.29.0", preview=1)
    commit(root)
    point_to(home, root)
    return root


def edit(root: Path, text: str) -> None:
    (root / "py/vm.c").write_text(text)
    commit(root)


def head(root: Path) -> str:
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def name_of(root: Path, release: str = "1.29.0-preview") -> str:
    return f"{release}+{tree_hash(root).removeprefix('sha256:')[:8]}"


def test_the_branch_has_a_name_of_its_own(
    home: Path, locked: Path, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = (home / "lock.toml").read_bytes()
    name = name_of(repository)
    assert cli.execute(["sync", "master"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{name}: verified, from git commit {head(repository)} (branch master of")
    assert out.endswith(f"--release {name}\n")
    assert synced_releases() == [name]
    assert not (home / "upstream" / name / ".git").exists()
    assert inspect(name).state == "verified"
    assert sync(name).release == name  # as later commands do
    assert (home / "lock.toml").read_bytes() == lock
    assert list(read_lock(local_lock_file()).entries) == [name]


def test_each_state_of_the_branch_stays(home: Path, repository: Path) -> None:
    first = sync("master")
    assert sync("master") == first
    edit(repository, "int g(void) {\n    return 2;\n}\n")
    second = sync("master")
    assert second.release == name_of(repository) != first.release
    assert sorted(synced_releases()) == sorted([first.release, second.release])
    assert inspect(first.release).state == "verified"


@pytest.mark.parametrize("known", ["shipped", "local", "unknown"])
def test_a_release_is_never_replaced(home: Path, make_tree: MakeTree, known: str) -> None:
    """The branch may name a release, until upstream changes the number after the release."""
    release, branch = make_tree("release", "1.29.0"), make_tree("branch", "1.29.0")
    if known == "shipped":
        write_lock(Lock({"1.29.0": LockEntry("1.29.0", tree_hash(release))}), home / "lock.toml")
    if known != "unknown":
        sync(source=release)
    edit(branch, "int other;\n")
    point_to(home, branch)
    assert sync("master").release == name_of(branch, "1.29.0")
    if known != "unknown":
        assert inspect("1.29.0").state == "verified"
        assert (home / "upstream/1.29.0/py/vm.c").read_text() != "int other;\n"


def test_the_branch_at_a_release_of_the_lock_is_that_release(home: Path, locked: Path) -> None:
    commit(locked)
    point_to(home, locked)
    assert sync("master").release == "1.26.1"
    assert not local_lock_file().exists()


def test_edited_sources_are_kept(home: Path, repository: Path) -> None:
    done = sync("master")
    (done.path / "py/vm.c").write_text("int mine;\n")
    with pytest.raises(CorruptSource, match="it was modified"):
        sync("master")
    assert (done.path / "py/vm.c").read_text() == "int mine;\n"
    assert sync("master", force=True).state == "verified"
    assert inspect(done.release).state == "verified"


def test_the_default_branch_may_have_another_name(home: Path, make_tree: MakeTree) -> None:
    root = make_tree("repository", "1.29.0")
    commit(root, branch="main")
    point_to(home, root)
    assert "(branch main of" in sync("master").origin


def test_a_detached_head_with_a_branch(home: Path, repository: Path) -> None:
    subprocess.run(["git", "checkout", "-q", "--detach"], cwd=repository, check=True)
    assert "(branch master of" in sync("master").origin


@pytest.mark.parametrize("inside", [False, True])
def test_a_checkout_in_porter_sources(
    home: Path, make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch, inside: bool
) -> None:
    folder = home / "sources"
    folder.mkdir()
    root = make_tree("home/sources/checkout", "1.29.0", preview=1)
    commit(root)
    subprocess.run(["git", "checkout", "-q", "-b", "topic"], cwd=root, check=True)
    name, of_master = name_of(root), head(root)
    edit(root, "int topic;\n")
    monkeypatch.setenv("PORTER_SOURCES", str(folder if inside else root))
    done = sync("master")
    assert (done.release, done.origin) == (
        name,
        f"git commit {of_master} (branch master of {root})",
    )


def test_a_clone_has_the_branch_that_it_fetched(
    home: Path, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repository, "v1.29.0")
    clone = tmp_path / "clone"
    url = f"file://{repository}"
    argv = ["git", "clone", "-q", "--depth", "1", "--no-single-branch", url, str(clone)]
    subprocess.run(argv, check=True)
    edit(clone, "int own;\n")
    monkeypatch.setenv("PORTER_SOURCES", str(clone))
    assert f"(branch origin/HEAD of {clone})" in sync("master").origin
    assert synced_releases() == [name_of(repository)]


def test_the_submodule_comes_last(home: Path, repository: Path, make_tree: MakeTree) -> None:
    submodule = home / "upstream/micropython"
    shutil.copytree(make_tree("old", "1.28.0"), submodule)
    commit(submodule)
    assert sync("master").release == name_of(repository)
    assert sync("master", origins=["submodule"]).release == name_of(submodule, "1.28.0")
    point_to(home, home / "nowhere")
    assert sync("master").release == name_of(submodule, "1.28.0")


def test_a_folder_within_a_checkout_is_none(
    home: Path, make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(home.parent)
    monkeypatch.setenv("PORTER_SOURCES", str(make_tree("home/inner", "1.29.0")))
    with pytest.raises(SyncFailed, match="inner is no git checkout"):
        sync("master")


def test_git_variables_of_the_caller_do_not_count(
    home: Path, repository: Path, make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_tree("other", "1.20.0")
    commit(other)
    before = sorted(path.name for path in (other / ".git").iterdir())
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert sync("master").release == name_of(repository)
    assert sorted(path.name for path in (other / ".git").iterdir()) == before


# Errors


def test_no_git(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert cli.execute(["sync", "master"]) == SyncFailed.exit_code
    told = capsys.readouterr().err
    assert "no origin gave upstream's development branch:\n  no git on this machine" in told
    assert "--from FOLDER" in told and "PORTER_SOURCES" in told


def test_no_repository_there(home: Path) -> None:
    with pytest.raises(SyncFailed) as caught:
        sync("master")
    told = str(caught.value).splitlines()
    assert [line.split(":")[0].strip() for line in told[1:]] == ["sources", "git", "submodule"]
    assert f"{home}/no-repo" in told[2]
    assert "gitmodules" in str(caught.value.hint)
    assert synced_releases() == []


def test_no_network(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "gitmodules").write_text(
        '[submodule "upstream/micropython"]\n\turl = https://127.0.0.1:9/no\n'
    )
    with pytest.raises(SyncFailed, match=r"git: .*https://127\.0\.0\.1:9/no"):
        sync("master")


def test_no_address(home: Path) -> None:
    (home / "gitmodules").write_text("")
    with pytest.raises(SyncFailed, match="names no upstream repository"):
        sync("master")


def test_no_such_branch(home: Path, make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_tree("repository", "1.29.0")
    subprocess.run(["git", "init", "-q", "-b", "master"], cwd=root, check=True)
    point_to(home, root)
    with pytest.raises(SyncFailed, match=f"git: file://{root} has no branch master"):
        sync("master")
    commit(root, branch="topic")
    monkeypatch.setenv("PORTER_SOURCES", str(root))
    with pytest.raises(SyncFailed, match=f"sources: {root} has no branch master"):
        sync("master", origins=["sources"])


def test_no_micropython(home: Path, tmp_path: Path) -> None:
    root = tmp_path / "other"
    root.mkdir()
    (root / "README").touch()
    commit(root)
    point_to(home, root)
    with pytest.raises(SyncFailed, match=f"git: file://{root} is not a MicroPython source tree"):
        sync("master")
    assert synced_releases() == []


@pytest.mark.parametrize(
    "args",
    [["--record"], ["--from", "."], ["--origin", "distribution"]],
)
def test_master_excludes(repository: Path, args: list[str]) -> None:
    assert cli.execute(["sync", "master", *args]) == UsageError.exit_code
    assert synced_releases() == []


def test_no_such_origin(repository: Path) -> None:
    with pytest.raises(UsageError, match="no origin 'web'"):
        sync("master", origins=["web"])


def test_no_release_is_called_master() -> None:
    with pytest.raises(UsageError, match="development branch") as caught:
        BuildConfig(release="master")
    assert "porter sync master" in str(caught.value.hint)
