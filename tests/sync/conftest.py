"""A small fake of a MicroPython tree, and a separate home for every test."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from porter.base import paths
from porter.sync.lock import Lock, LockEntry, write_lock
from porter.sync.trees import tree_hash

MakeTree = Callable[..., Path]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set PORTER_HOME and an empty lock, in a fresh folder; no origin is reachable by accident."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("PORTER_HOME", str(folder))
    monkeypatch.setattr(paths, "lock_file", lambda: folder / "lock.toml")
    modules = folder / "gitmodules"
    modules.write_text(f'[submodule "upstream/micropython"]\n\turl = file://{folder}/no-repo\n')
    monkeypatch.setattr(paths, "gitmodules_file", lambda: modules)
    return folder


@pytest.fixture
def make_tree(tmp_path: Path) -> MakeTree:
    """Return `make_tree(folder, release)`, which makes a tree with that release's `mpconfig.h`."""

    def make(name: str = "tree", release: str = "1.26.1", preview: int = 0) -> Path:
        root = tmp_path / name
        major, minor, micro = release.split(".")
        defines = zip(
            ("MAJOR", "MINOR", "MICRO", "PRERELEASE"),
            (major, minor, micro, preview),
            strict=True,
        )
        files = {
            "py/mpconfig.h": "".join(f"#define MICROPY_VERSION_{k} {v}\n" for k, v in defines),
            "py/py.mk": "PY_O = vm.o\n",
            "py/makeqstrdefs.py": "",
            "py/vm.c": "int f(void) {\n    return 1;\n}\n",
            "extmod/extmod.mk": "",
            "shared/runtime/x.c": "int x;\n",
            "tests/basics/a.py": "print(1)\n",
            "ports/unix/main.c": "int main(void) { }\n",
        }
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        return root

    return make


@pytest.fixture
def locked(home: Path, make_tree: MakeTree) -> Path:
    """Return the tree of release 1.26.1, which the lock knows."""
    root = make_tree()
    entry = LockEntry("1.26.1", tree_hash(root), tag="v1.26.1", package="1.26.1+ds-1")
    write_lock(Lock({"1.26.1": entry}), home / "lock.toml", "test")
    return root


def commit(root: Path, *tags: str, branch: str = "master") -> None:
    """Commit all files of a folder, which becomes a repository, and set tags."""
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "gc.auto=0"]
    calls = [] if (root / ".git").is_dir() else [["init", "-q"]]
    if not (root / ".git/refs/heads").is_dir() or not any((root / ".git/refs/heads").iterdir()):
        calls.append(["checkout", "-q", "-B", branch])
    calls += [["add", "."], ["commit", "-q", "--allow-empty", "-m", "x"]]
    for args in [*calls, *(["tag", name] for name in tags)]:
        subprocess.run(["git", *identity, *args], cwd=root, check=True)


def point_to(home: Path, repository: Path) -> None:
    """Make a folder upstream's repository."""
    text = f'[submodule "upstream/micropython"]\n\turl = file://{repository}\n'
    (home / "gitmodules").write_text(text)


def only_git(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave git on PATH, and no apt that would ask the network."""
    found = shutil.which("git")
    assert found is not None
    (home / "bin").mkdir()
    (home / "bin/git").symlink_to(found)
    monkeypatch.setenv("PATH", str(home / "bin"))
