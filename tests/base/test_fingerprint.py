"""Fingerprints and seals: changes are detected, and copies compare equal by content."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from porter.base import fingerprint as module
from porter.base.files import read_sealed, write_sealed
from porter.base.fingerprint import content_digest, fingerprint


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "a/b").mkdir(parents=True)
    (root / "a/b/one").write_text("1")
    (root / "two").write_text("2")
    (root / "nowhere").symlink_to("not there")
    (root / "folder").symlink_to("a")
    return root


def rewritten_with_its_time(path: Path) -> None:
    times = path.stat()
    path.write_text("9")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


CHANGES: list[Callable[[Path], object]] = [
    lambda root: (root / "two").write_text("22"),
    lambda root: rewritten_with_its_time(root / "two"),
    lambda root: (root / "a/b/one").unlink(),
    lambda root: (root / "a/b/new").touch(),
    lambda root: (root / "two").rename(root / "three"),
    lambda root: shutil.rmtree(root),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_shows(tree: Path, change: Callable[[Path], object]) -> None:
    quick, whole = fingerprint([tree]).digest, content_digest([tree])
    assert (fingerprint([tree]).digest, content_digest([tree])) == (quick, whole)
    change(tree)
    assert fingerprint([tree]).digest != quick
    assert content_digest([tree]) != whole


def test_a_copy_is_equal_and_not_the_same(tree: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(tree, tmp_path / "copy", symlinks=True)
    assert fingerprint([copy]).digest != fingerprint([tree]).digest
    assert content_digest([copy]) == content_digest([tree])


def test_what_is_skipped_does_not_count(tree: Path) -> None:
    before = fingerprint([tree], {"cache"}.__contains__).digest
    (tree / "cache").mkdir()
    (tree / "cache/x").touch()
    assert fingerprint([tree], {"cache"}.__contains__).digest == before


def test_files_of_this_instant_are_not_settled(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TICK_NS", 10**15)
    assert not fingerprint([tree]).settled
    monkeypatch.setattr(module, "TICK_NS", 0)
    assert fingerprint([tree]).settled


@pytest.mark.parametrize("damage", ["", "[]", "{}", "null", '{"seal": 1}', None])
def test_seals(tmp_path: Path, damage: str | None) -> None:
    path = tmp_path / "x.json"
    assert read_sealed(path) is None
    write_sealed(path, {"a": [1, "é"], "b": {"c": None}})
    assert read_sealed(path) == {"a": [1, "é"], "b": {"c": None}}
    path.write_text(path.read_text().replace("1", "2") if damage is None else damage)
    assert read_sealed(path) is None
