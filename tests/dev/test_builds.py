"""porter_dev.builds: which changes of the shared builds fail a run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from porter.base import paths
from porter_dev import builds


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a build with one target and a library."""
    monkeypatch.setattr(paths, "build_dir", lambda: tmp_path)
    folder = tmp_path / "1.2.3-0123" / "abcd"
    folder.mkdir(parents=True)
    write(folder, {"host": {"flags": ["-O2"]}})
    (folder / "gpusnek.so").write_bytes(b"code")
    return folder


def write(folder: Path, targets: dict[str, object], inputs: str = "a") -> None:
    (folder / "build.json").write_text(json.dumps({"inputs": inputs, "targets": targets}))


def test_what_adds_to_a_build_is_accepted(build: Path) -> None:
    before = builds.fingerprints()
    assert len(before) == 2
    write(build, {"host": {"flags": ["-O2"]}, "host-debug": {"flags": ["-Og"]}})
    (build.parent / "other").mkdir()
    (build.parent / "other" / "gpusnek.so").write_bytes(b"more")
    assert builds.changed(before) == []


def test_what_changes_a_build_is_reported(build: Path) -> None:
    before = builds.fingerprints()
    write(build, {"host": {"flags": ["-O0"]}})
    assert [m.split(": ")[1] for m in builds.changed(before)] == [
        "a test rewrote this artifact of a shared build"
    ]
    write(build, {"host": {"flags": ["-O2"]}}, inputs="b")
    assert len(builds.changed(before)) == 1
    write(build, {})
    assert len(builds.changed(before)) == 1
    write(build, {"host": {"flags": ["-O2"]}})
    assert builds.changed(before) == []
    (build / "build.json").unlink()
    os.utime(build / "gpusnek.so", ns=(1, 1))
    assert len(builds.changed(before)) == 2
