"""Device builds for several architectures: one PTX, and SASS for each, in one fatbin."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from fake_build import fake_build

from porter import toolchain
from porter.base.process import run
from porter.compile import compile_build, cuda
from porter.compile.cubin_checks import usable
from porter.compile.flags import REGISTERS
from porter.config import BuildConfig
from porter.errors import NoNvcc, ToolMissing, VerifyFailed
from porter.manifest import DeviceOutput, SavedRegisters
from porter.run.built import device_output, open_build
from porter.run.device.cuda_operations import NAMES
from porter.run.footprint import Figures

ARCH = "sm_80,sm_90,compute_80"
CONFIG = BuildConfig(release="0.0.0", target="cuda", arch=ARCH)

# All tests of this file run in one worker, which makes the build once.
pytestmark = [pytest.mark.xdist_group("fatbin"), pytest.mark.campaign("device-build")]


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    try:
        toolchain.nvcc()
        toolchain.cuda_tool("fatbinary")
    except (NoNvcc, ToolMissing) as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the fake port's sources, with its finished build inside."""
    folder = tmp_path_factory.mktemp("fake")
    fake_build(folder, target="cuda", arch=ARCH)
    return folder


def output(folder: Path) -> DeviceOutput:
    return device_output(open_build(folder / CONFIG.key()))


def test_one_file_of_checked_parts(folder: Path) -> None:
    made = output(folder)
    assert (made.code, made.ptx, set(made.machine)) == (
        "cuda/gpusnek.fatbin",
        "compute_80",
        {"sm_80", "sm_90"},
    )
    assert "cuda/libgpusnek.a" not in made.files
    for code in made.machine.values():
        assert code.gc_flush.saved_registers == len(usable(REGISTERS))
        assert set(code.resources.kernels) == {"gpusnek_launch", "gpusnek_setup", *NAMES}
    info = Figures.of(made.info)
    assert info.local_top == info.state_size + 64 + CONFIG.stack + 4096
    ptx = folder / CONFIG.key() / "cuda/ptx/fake.ptx"
    assert ptx.read_text().count(".target sm_80") == 1


def test_each_unit_becomes_ptx_once(folder: Path) -> None:
    (log,) = folder.glob(f"cuda-{ARCH.replace(',', '+')}-*/.ninja_log")
    rows = [line.split("\t")[3] for line in log.read_text().splitlines()[1:]]
    made = Counter(Path(row).name for row in rows if "fake." in row)
    assert (made["fake.ptx"], made["fake.cubin"]) == (1, 2)


def test_its_parts_are_the_cubins(folder: Path, tmp_path: Path) -> None:
    try:
        cuobjdump = toolchain.cuda_tool("cuobjdump").path
    except ToolMissing as error:
        pytest.skip(str(error))
    fatbin = folder / CONFIG.key() / "cuda/gpusnek.fatbin"
    run([cuobjdump, "-xelf", "all", fatbin], cwd=tmp_path)
    found = {path.suffixes[-2]: path.read_bytes() for path in tmp_path.glob("*.cubin")}
    linked = {f".{arch}": next(folder.glob(f"cuda-*/{arch}.cubin")) for arch in ("sm_80", "sm_90")}
    assert found == {name: path.read_bytes() for name, path in linked.items()}
    assert fatbin.stat().st_size < sum(map(len, found.values())) / 2


def test_nothing_changed_runs_nothing(folder: Path) -> None:
    assert compile_build(CONFIG, folder, jobs=2).steps["cuda"] == 0


def test_code_that_fails_its_check_is_taken_away(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check of the collector's entry covers every architecture."""
    checked: list[str] = []

    def check(cubin: Path, *rest: Any) -> SavedRegisters:
        checked.append(cubin.parts[-3])
        if checked[-1] == "obj-sm_90":
            raise VerifyFailed("R16 is not stored")
        return SavedRegisters("nvdisasm", 31)

    monkeypatch.setattr(cuda, "check_flush", check)
    with pytest.raises(VerifyFailed, match="sm_90: R16 is not stored"):
        compile_build(CONFIG, folder, jobs=2)
    assert checked == ["obj-sm_80", "obj-sm_90"]
    assert not list(folder.glob("cuda-*/gpusnek.fatbin"))
    monkeypatch.undo()
    assert compile_build(CONFIG, folder, jobs=2).steps["cuda"] == 1
