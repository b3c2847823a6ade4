"""The checkout: git tracks the submodule's commit, and no output of a sync or a build."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from porter.sync.lock import read_lock

ROOT = Path(__file__).parents[2]


def git(*args: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *args], capture_output=True, text=True)
    if done.returncode == 128:
        pytest.skip("no git checkout")
    return done.stdout


def test_submodule_is_at_a_release_of_the_lock() -> None:
    mode, commit, _, path = git("ls-files", "-s", "upstream/micropython").split()
    assert (mode, path) == ("160000", "upstream/micropython")
    entries = read_lock(ROOT / "upstream/lock.toml").entries.values()
    assert any(commit in entry.origin for entry in entries)


def test_what_is_made_is_ignored() -> None:
    made = ["upstream/9.9.9/py/vm.c", "upstream/.work/lock", "upstream/.local/lock.toml", "build/x"]
    assert git("check-ignore", *made).split() == made
