"""The configurations that a bundled build serves, and the report of `porter doctor` about it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from porter.array.device_selection import ready_build
from porter.base import paths
from porter.base.architectures import EVERY
from porter.bundled import bundled_builds, serving
from porter.cli._subject import check_fixed
from porter.config import BuildConfig
from porter.doctor import examine
from porter.errors import NoNvcc, UsageError
from porter.manifest import FORMAT
from porter.settings import default_target, load_config
from porter.sync.lock import newest_release

CONFIG = BuildConfig(release=newest_release(), arch=EVERY, target="all")
CODE = b"code"


def manifest() -> dict[str, Any]:
    values = CONFIG.as_dict()
    del values["target"]
    files = {name: {"size": 4, "sha256": hashlib.sha256(CODE).hexdigest()} for name in FILES}
    resources = {"functions": 0, "spill_stores": 0, "spill_loads": 0, "largest_frames": {},
                 "kernels": {}}  # fmt: skip
    machine = {
        "gc_flush": {"reader": "nvdisasm", "saved_registers": 1},
        "resources": resources,
        "constants": {"size": 0, "info": 0},
    }
    host = {"compiler": "12", "flags": [], "files": {FILES[0]: files[FILES[0]]}, "info": {}}
    cuda = {"nvcc": "13", "flags": [], "files": {FILES[1]: files[FILES[1]]}, "info": {}}
    cuda |= {"code": FILES[1], "ptx": "compute_80"}
    cuda |= {"machine": dict.fromkeys(CONFIG.architectures.machine, machine)}
    return {
        "format": FORMAT,
        "release": CONFIG.release,
        "inputs": {"porter": "0", "config": values, "sources": {}},
        "targets": {"host": host, "cuda": cuda},
        "layout": {"structs": {}, "enums": {}, "state_size": 64},
    }


FILES = ("host/libgpusnek.so", "cuda/gpusnek.fatbin")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a bundled build, as in a wheel."""
    folder = tmp_path / CONFIG.key()
    for name in FILES:
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(CODE)
    (folder / "build.json").write_text(json.dumps(manifest()))
    monkeypatch.setattr(paths, "bundled_dir", lambda: tmp_path)
    return folder


@pytest.mark.parametrize(
    "values",
    [
        {"target": "host"},
        {"target": "cuda"},
        {"target": "all", "arch": EVERY},
        {"target": "cuda", "arch": "sm_120"},
        {"target": "cuda", "heap": 4096, "stdout": 0, "stack": 2048},
        {"target": "host", "arch": "sm_75", "arena": "global", "stack": 65536},
    ],
)
def test_served(folder: Path, values: dict[str, Any]) -> None:
    assert serving(BuildConfig(release=CONFIG.release, **values)) == folder


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"release": "1.25.0"}, "not 1.25.0"),
        ({"float": "single"}, "float is double, not single"),
        ({"level": "full"}, "level is everything, not full"),
        ({"gc_stress": True}, "gc_stress is off, not on"),
        ({"bounds_checks": True}, "bounds_checks is off, not on"),
        ({"profile": True}, "profile is off, not on"),
        ({"reconverge": False}, "reconverge is on, not off"),
        ({"target": "cuda", "arch": "sm_75"}, "not sm_75"),
        ({"target": "cuda", "arch": "sm_90,compute_90"}, "not sm_90,compute_90"),
        ({"target": "cuda", "arena": "global"}, "arena is local, not global"),
        ({"target": "cuda", "stack": 65536}, "stack is 32768, not 65536"),
    ],
)
def test_not_served(folder: Path, values: dict[str, Any], reason: str) -> None:
    config = BuildConfig(**{"release": CONFIG.release, **values})
    assert serving(config) is None and ready_build(config) is None
    (only,) = bundled_builds()
    (lack,) = only.lacks(config)
    assert reason in lack


def test_older_than_a_choice(folder: Path) -> None:
    document = manifest()
    del document["inputs"]["config"]["reconverge"]
    (folder / "build.json").write_text(json.dumps(document))
    assert serving(attrs.evolve(CONFIG, reconverge=False)) == folder
    (only,) = bundled_builds()
    (lack,) = only.lacks(attrs.evolve(CONFIG, reconverge=True))
    assert "reconverge is off, not on" in lack


def test_sizes_are_a_launchs(folder: Path) -> None:
    config = BuildConfig(release=CONFIG.release, heap=4096, fs_size=8192, arch="sm_80")
    built = ready_build(config)
    assert built is not None and built.folder == folder
    assert (built.config["heap"], built.config["fs_size"]) == (4096, 8192)
    assert built.manifest["inputs"]["config"] == built.config
    assert built.config["arch"] == EVERY
    assert json.loads((folder / "build.json").read_text()) == manifest()


def test_a_finished_build_for_several_serves_each(folder: Path) -> None:
    built = ready_build(CONFIG)
    assert built is not None
    for arch in ("sm_90", "all", "sm_120,sm_86"):
        check_fixed(built, "arch", arch)
    with pytest.raises(UsageError, match="--arch sm_75: the build in"):
        check_fixed(built, "arch", "sm_75")
    with pytest.raises(UsageError, match="'sm_x' is not a GPU architecture"):
        check_fixed(built, "arch", "sm_x")


@pytest.mark.parametrize("text", ["", "{", "[]", json.dumps({"inputs": 1, "targets": 2})])
def test_what_cannot_be_read_serves_nothing(folder: Path, text: str) -> None:
    (folder / "build.json").write_text(text)
    assert serving(attrs.evolve(CONFIG, target="host")) is None


def test_a_checkout_has_none() -> None:
    assert paths.bundled_dir() is None and list(bundled_builds()) == []


def test_a_gpu_without_nvcc_needs_a_bundled_build(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "cupy.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("porter.settings.nvcc", lambda: _no_nvcc())
    monkeypatch.setattr(Path, "glob", lambda *_: iter([Path("/dev/null")]))
    assert (default_target(), default_target(lambda: True)) == ("host", "cuda")
    monkeypatch.undo()
    monkeypatch.setattr(paths, "bundled_dir", lambda: tmp_path)
    monkeypatch.setattr("porter.settings.default_target", lambda b: "cuda" if b() else "host")
    assert load_config({}, environ={}).target == "cuda"
    for other in ({"float": "single"}, {"heap": 2**20}):
        assert load_config(other, environ={}).target == "host"


def _no_nvcc() -> None:
    raise NoNvcc("none")


def rows() -> dict[str, Any]:
    return {row.name: row for row in examine()}


def test_doctor(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORTER_TARGET", "host")
    found = rows()
    codes = "sm_80, sm_86, sm_89, sm_90, sm_100, sm_120, compute_80"
    assert found["bundled"].detail == f"{CONFIG.release}: host; cuda for {codes}"
    assert found["serves"].detail.endswith(f"the bundled build, {folder}")
    assert not any(found[name].essential for name in ("g++", "libclang", "ninja"))
    monkeypatch.setenv("PORTER_LEVEL", "full")
    assert "level is everything, not full" in rows()["serves"].detail
    monkeypatch.setenv("PORTER_LEVEL", "most")
    assert rows()["serves"].state == "broken"
    (folder / FILES[1]).write_bytes(b"other")
    found = rows()
    assert found["bundled"].state == "broken" and FILES[1] in found["bundled"].detail
    assert "--force-reinstall" in found["bundled"].advice
