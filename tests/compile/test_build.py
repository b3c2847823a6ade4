"""The compile stage on the fake port: complete, incremental, or refused."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from fake_build import FAKE_PORT, fake_build

from porter import toolchain
from porter.base.files import SEAL
from porter.compile import compile_build
from porter.compile.build_record import parse_frames, parse_kernels
from porter.compile.cubin_checks import usable
from porter.compile.flags import REGISTERS
from porter.config import BuildConfig
from porter.errors import BuildFailed, NoNvcc, NotBuilt
from porter.manifest import KernelResources
from porter.run import open_device, run
from porter.run.built import open_build
from porter.run.device.cuda_operations import NAMES
from porter.run.footprint import Figures

CONFIG = BuildConfig(release="0.0.0", target="host")


def test_nothing_changed_runs_nothing(tmp_path: Path) -> None:
    built = fake_build(tmp_path)
    before = (built / "build.json").stat().st_mtime_ns
    again = compile_build(CONFIG, tmp_path)
    assert again.steps["host"] == 0
    assert again.seconds < 2
    assert again.folder == built
    assert (built / "build.json").stat().st_mtime_ns == before


def test_other_sizes_compile_nothing(tmp_path: Path) -> None:
    fake_build(tmp_path)
    larger = attrs.evolve(CONFIG, heap=65536, stack=32768, pystack=4096, stdout=4096)
    again = compile_build(larger, tmp_path)
    assert again.steps["host"] == 0
    assert again.folder != tmp_path / CONFIG.key()
    device = open_device(again.folder, "host")
    assert device.built.config["heap"] == 65536
    assert run(device, ["hg"], 2).stdout[1] == b"79"


def test_a_changed_unit_compiles_alone_and_leaves_other_builds_whole(tmp_path: Path) -> None:
    built = fake_build(tmp_path)
    library = (built / "host" / "libgpusnek.so").read_bytes()
    unit = tmp_path / "cxx" / "fake.cpp"
    unit.write_text(unit.read_text().replace("fake_counter = 100", "fake_counter = 200"))
    larger = attrs.evolve(CONFIG, heap=65536)
    again = compile_build(larger, tmp_path)
    assert again.steps["host"] == 2  # the unit and the link
    assert run(open_device(again.folder, "host"), ["c"], 1).stdout[0] == b"200"
    assert (built / "host" / "libgpusnek.so").read_bytes() == library


def test_what_was_damaged_is_made_again(tmp_path: Path) -> None:
    built = fake_build(tmp_path)
    library = built / "host" / "libgpusnek.so"
    before = library.read_bytes()
    for path in (tmp_path / "host/obj/fake.o", tmp_path / "host/libgpusnek.so", library):
        path.write_bytes(path.read_bytes()[:2000])  # newer than its inputs
        assert compile_build(CONFIG, tmp_path).steps["host"] > 0
        assert library.read_bytes() == before
    # A changed time alone, or a lost record, is not damage.
    (tmp_path / "host/obj/fake.o").touch()
    (tmp_path / "host/outputs.json").write_text("{")
    assert compile_build(CONFIG, tmp_path).steps["host"] <= 1  # ninja relinks for a newer input
    assert library.read_bytes() == before


def test_a_step_that_fails_costs_no_other(tmp_path: Path) -> None:
    fake_build(tmp_path)
    unit = tmp_path / "cxx" / "fake.cpp"
    good = unit.read_text()
    unit.write_text(good + "\nthis is not C++;\n")
    with pytest.raises(BuildFailed):
        compile_build(CONFIG, tmp_path)
    unit.write_text(good)
    assert compile_build(CONFIG, tmp_path).steps["host"] == 2  # the unit and the link


def test_a_build_can_be_moved(tmp_path: Path) -> None:
    built = fake_build(tmp_path / "here")
    moved = shutil.copytree(built, tmp_path / "there")
    shutil.rmtree(tmp_path / "here")
    assert run(open_device(moved, "host"), ["i"], 1).stdout[0] == b"0"


def test_a_build_that_fails_leaves_no_manifest(tmp_path: Path) -> None:
    built = fake_build(tmp_path)
    unit = tmp_path / "cxx" / "fake.cpp"
    unit.write_text(unit.read_text() + "\nthis is not C++;\n")
    with pytest.raises(BuildFailed, match=r"fake\.cpp.*error"):
        compile_build(CONFIG, tmp_path)
    assert not (built / "build.json").exists()
    shutil.copy(FAKE_PORT / "fake.cpp", unit)
    assert compile_build(CONFIG, tmp_path).manifest.exists()


def test_a_missing_function_is_found_at_the_link(tmp_path: Path) -> None:
    shutil.copytree(FAKE_PORT, tmp_path / "cxx")
    unit = tmp_path / "cxx" / "fake.cpp"
    unit.write_text(unit.read_text().replace("gpusnek_exit_code", "gpusnek_exit_kode"))
    with pytest.raises(BuildFailed, match="gpusnek_exit_code"):
        compile_build(CONFIG, tmp_path)


def test_no_units(tmp_path: Path) -> None:
    with pytest.raises(NotBuilt):
        compile_build(CONFIG, tmp_path)


def reproducible(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the content that must not depend on the folder: all except nvcc's host object, whose
    symbols name the folder, and the seal, which covers the hash of this object.
    """
    copy = json.loads(json.dumps(manifest))
    del copy["targets"]["cuda"]["files"]["cuda/libgpusnek.a"], copy[SEAL]
    return dict(copy)


@pytest.mark.campaign("device-build")
def test_device_build(tmp_path: Path) -> None:
    try:
        toolchain.nvcc()
    except NoNvcc as error:
        pytest.skip(str(error))
    built = fake_build(tmp_path, target="all")
    manifest = json.loads((built / "build.json").read_text())
    elsewhere = fake_build(tmp_path / "quite" / "elsewhere", target="all")
    assert reproducible(json.loads((elsewhere / "build.json").read_text())) == reproducible(
        manifest
    )
    assert set(manifest["targets"]) == {"host", "cuda"}
    cuda = manifest["targets"]["cuda"]
    assert set(cuda["info"]) == set(open_build(built).structs["gpusnek_info_t"].names or ())
    host = Figures.of(manifest["targets"]["host"]["info"])
    assert host.on_gpu(local=True, stack=CONFIG.stack) == Figures.of(cuda["info"])
    assert cuda["info"]["local_top"] == cuda["info"]["state_size"] + 64 + CONFIG.stack + 4096
    assert (cuda["code"], cuda["ptx"]) == ("cuda/gpusnek.cubin", "")
    (code,) = cuda["machine"].values()
    assert code["gc_flush"]["saved_registers"] == len(usable(REGISTERS))
    assert set(code["resources"]["kernels"]) == {"gpusnek_launch", "gpusnek_setup", *NAMES}
    assert (built / "cuda" / "libgpusnek.a").stat().st_size > 0
    assert (built / "cuda" / "ptx" / "fake.ptx").read_text().count(".target sm_90") == 1


def test_compiler_reports() -> None:
    frames = parse_frames(
        "ptxas info    : Function properties for f\n"
        "    504 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
    )
    assert [(f.function, f.stack, f.spill_stores, f.spill_loads) for f in frames] == [
        ("f", 504, 12, 16)
    ]
    assert parse_kernels(
        "nvlink info    : Function properties for 'k':\n"
        "nvlink info    : used 249 registers, used 1 barriers, 112 stack, 0 bytes smem, "
        "536 bytes cmem[0], 0 bytes lmem\n"
    ) == {"k": KernelResources(249, 112)}
