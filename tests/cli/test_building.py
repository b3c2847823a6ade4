"""Incremental builds: no change, one changed file, and other sizes."""

from __future__ import annotations

import json
import resource
import shutil
from pathlib import Path

import attrs
import pytest

from porter.base import paths
from porter.base.deprecated import RENAMED_SETTINGS, with_new_keys, with_old_keys
from porter.compile.build_record import read_manifest
from porter.config import BuildConfig
from porter.pipeline import Build, build
from porter.run import open_device
from porter.run.built import open_build
from porter.run.footprint import describe, on_gpu
from tests.cli.conftest import Porter

# One worker for all tests that build in the shared folder: a second worker would only wait.


def config_of(built: Build) -> BuildConfig:
    manifest = json.loads((built.folder / "build.json").read_text())
    config = with_new_keys(manifest["inputs"]["config"], RENAMED_SETTINGS)
    return BuildConfig(**config, target="host")


def _cuda(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name.startswith("cuda")]


def test_nothing_changed(built: Build, porter: Porter) -> None:
    args = ("build", "--target", "host", "--release", config_of(built).release)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = porter(*args)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.code == 0
    assert done.out.count("up to date") == 2
    # Processor time, because wall-clock time depends on the machine's load.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2


def test_other_sizes_compile_nothing(built: Build) -> None:
    larger = attrs.evolve(config_of(built), heap=65536, stack=16384, stdout=4096, pystack=2048)
    again = build(larger)
    assert (again.rewritten, again.compiled.steps["host"]) == (0, 0)
    assert again.sources == built.sources and again.folder != built.folder
    assert open_device(again.folder, "host").built.config["heap"] == 65536


@pytest.mark.campaign("device-build")
def test_one_port_file_changed(
    built: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = config_of(built)
    # A private copy, because other tests read the shared build; ninja depends on the files' times.
    folder = shutil.copytree(built.sources, tmp_path / "build", ignore=_cuda)
    templates = shutil.copytree(paths.templates_dir(), tmp_path / "templates")
    # The port and its headers from the copy; the runtime's folder stays where it is.
    monkeypatch.setattr(paths, "templates_dir", lambda: templates)
    build(config, folder=folder, jobs=2)
    source = templates / "port" / "random.c"
    source.write_text(source.read_text() + "\nint porter_test_marker(void) { return 1; }\n")
    changed = build(config, folder=folder, jobs=2)
    assert changed.rewritten == 1
    assert changed.compiled.steps["host"] == 2  # its unit and the link


def test_manifest(built: Build) -> None:
    manifest = read_manifest(built.folder)
    assert manifest is not None
    config = config_of(built).as_dict()
    del config["target"]
    assert manifest["inputs"]["config"] == with_old_keys(config, RENAMED_SETTINGS)
    assert {"py_vm.cpp", "port_lifecycle.cpp", "porter_state.h"} <= manifest["inputs"][
        "sources"
    ].keys()
    host = manifest["targets"]["host"]
    assert host["compiler"] and "-fno-strict-aliasing" in host["flags"]
    assert str(paths.home()) not in (built.folder / "build.json").read_text()


@pytest.mark.campaign("device-build")
def test_memory_is_told(built: Build, porter: Porter) -> None:
    config = config_of(built)
    done = porter("build", "--target", "host", "--release", config.release)
    for line in describe(on_gpu(open_build(built.folder))).splitlines():
        assert line in done.out


def test_state_size_is_the_compilers(built: Build) -> None:
    state = built.compiled.state
    assert state % 8 == 0 and state > 1000
    device = open_device(built.folder, "host")
    assert device.figures.state_size == -(-state // 64) * 64  # as rounded in an arena
