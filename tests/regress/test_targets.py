"""Targets: a device build on a machine without a GPU, and missing tools."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from porter import pipeline
from porter.compile.compile_stage import Compiled
from porter.config import BuildConfig
from porter.errors import BuildFailed, MissingPackage, NoGpu, NoNvcc, NotBuilt
from porter.manifest import FORMAT
from porter.regress import checks, release_run
from porter.regress.baseline import Facts, ReleaseRun, StageState
from porter.regress.checks import StageMemory, key_of
from porter.regress.comparison import compare, verdict
from porter.regress.measurements import sizes_of
from porter.regress.regress_report import number_rows
from porter.regress.release_run import StageSequence

RESOURCES = {
    "kernels": {"one": {"registers": 168, "stack": 0}, "two": {"registers": 255, "stack": 16}},
    "largest_frames": {"f": 512, "g": 300},
    "spill_stores": 7,
}


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """Make the files of a finished device build that reports read; any ELF file is its cubin."""
    folder = tmp_path / "build"
    (folder / "cuda").mkdir(parents=True)
    shutil.copyfile(sys.executable, folder / "cuda" / "gpusnek.cubin")
    code = {"resources": RESOURCES, "gc_flush": {"reader": "nvdisasm", "saved_registers": 53}}
    target = {"info": {"state_size": 2624}, "machine": {"sm_90": code}, "files": {}}
    target["code"] = "cuda/gpusnek.cubin"
    manifest = {"format": FORMAT, "inputs": {"config": {}}, "targets": {"cuda": target}}
    (folder / "build.json").write_text(json.dumps(manifest))
    return folder


def run(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    folder: Path | Exception,
    where_possible: bool = False,
) -> ReleaseRun:
    """Run the stages of a target, with this build in place of a compiler."""

    def build(config: BuildConfig, **options: object) -> pipeline.Build:
        if isinstance(folder, Exception):
            raise folder
        compiled = Compiled(folder, {"host": 0, "cuda": 141}, 1.0, 2624)
        return pipeline.Build(folder, tmp_path, 1, 0, {}, compiled)

    monkeypatch.setenv("PORTER_HOME", str(tmp_path))
    monkeypatch.setattr(pipeline, "build", build)
    steps, found = StageSequence(), release_run._Facts(Facts(units={"py/a.c": {}}))
    release_run._target("1.0", "cuda", release_run.Options(("cuda",), where_possible), steps, found)
    return release_run._result("1.0", "", steps, found)


def test_without_a_gpu_it_builds_and_reports(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, device: Path
) -> None:
    def none(folder: Path, target: str) -> None:
        raise NoGpu("no GPU here")

    monkeypatch.setattr(checks, "open_device", none)
    done = run(monkeypatch, tmp_path, device)
    states = [(stage.name, stage.state) for stage in done.stages]
    assert states == [
        ("build", StageState.OK),
        ("smoke", StageState.SKIPPED),
        ("conformance", StageState.SKIPPED),
    ]
    assert all("no GPU here" in stage.note for stage in done.stages[1:])
    sizes = dict(done.facts.sizes["cuda"])
    assert sizes.pop("code") > 0
    rest = {"registers": 255, "stack": 512, "spills": 7, "saved registers": 53, "state": 2624}
    assert sizes == rest
    rows = dict(number_rows([done]))
    assert rows["saved registers, cuda"] == ["53"]
    assert rows["registers, cuda"] == ["255"] and rows["stack, cuda (bytes)"] == ["512"]
    assert verdict([done], [compare(done, {})]) is None


def test_without_cupy_it_builds_and_reports(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, device: Path
) -> None:
    def none(folder: Path, target: str) -> None:
        raise MissingPackage("no CuPy here")

    monkeypatch.setattr(checks, "open_device", none)
    done = run(monkeypatch, tmp_path, device)
    assert [stage.state for stage in done.stages] == [
        StageState.OK,
        StageState.SKIPPED,
        StageState.SKIPPED,
    ]
    assert verdict([done], []) is None


def test_device_code_is_compiled_where_that_is_possible(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    done = run(monkeypatch, tmp_path, NoNvcc("no nvcc here"), where_possible=True)
    assert [stage.state for stage in done.stages] == [StageState.SKIPPED] * 3
    assert all("no nvcc here" in stage.note for stage in done.stages)
    assert verdict([done], []) is None
    refused = run(monkeypatch, tmp_path, BuildFailed("port/x.c: no"), where_possible=True)
    ended = verdict([refused], [])
    assert ended is not None and ended.exit_code == 25  # only the host twin accepts it: no success


@pytest.mark.parametrize(
    ("error", "code"), [(NoNvcc("no nvcc"), 12), (BuildFailed("port/x.c: no"), 25)]
)
def test_a_build_that_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception, code: int
) -> None:
    done = run(monkeypatch, tmp_path, error)
    assert [stage.state for stage in done.stages] == [StageState.FAILED] + [
        StageState.NOT_REACHED
    ] * 2
    ended = verdict([done], [])
    assert ended is not None and ended.exit_code == code


def test_numbers_of_what_is_no_build(tmp_path: Path, device: Path) -> None:
    with pytest.raises(NotBuilt):
        sizes_of(device, "host")
    (device / "cuda" / "gpusnek.cubin").write_text("text")
    with pytest.raises(NotBuilt, match="not a 64-bit ELF"):
        sizes_of(device, "cuda")


def test_memory_forgets_other_inputs(tmp_path: Path) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "a.py").write_text("1")
    memory = StageMemory(tmp_path / "memory")
    key = key_of({"build": 1}, [folder])
    assert memory.recall("smoke", key) is None
    memory.keep("smoke", key, ["ok"])
    assert memory.recall("smoke", key) == ["ok"]
    (folder / "a.py").write_text("2")
    assert memory.recall("smoke", key_of({"build": 1}, [folder])) is None
    assert memory.recall("smoke", key_of({"build": 2}, [folder])) is None
    (tmp_path / "memory" / "smoke.json").write_text("{")
    assert memory.recall("smoke", key) is None
