"""Doctor and toolchain: found tools, and the messages about missing tools."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from porter import cli, toolchain
from porter.errors import NoCompiler, NoNvcc, ToolMissing


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    forget()
    yield
    forget()


def forget() -> None:
    for finder in (toolchain.gxx, toolchain.nvcc, toolchain.cuda_tool):
        finder.cache_clear()


def fake(folder: Path, name: str, output: str, status: int = 0) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{output}'\nexit {status}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Remove all tools from PATH and all NVIDIA wheels; return the only folder on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(toolchain, "_wheel_folders", lambda: iter([tmp_path / "wheel"]))
    for variable in ("PORTER_CXX", "PORTER_NVCC"):
        monkeypatch.delenv(variable, raising=False)
    return folder


def test_nothing_there(bare: Path) -> None:
    with pytest.raises(NoCompiler, match=r"no g\+\+"):
        toolchain.gxx()
    with pytest.raises(NoNvcc, match="no nvcc") as caught:
        toolchain.nvcc()
    assert "gpusnek-porter[cuda]" in str(caught.value.hint)
    with pytest.raises(ToolMissing, match="no cuobjdump"):
        toolchain.cuda_tool("cuobjdump")


def test_path_comes_before_the_wheel(bare: Path, tmp_path: Path) -> None:
    fake(tmp_path / "wheel", "nvcc", "Cuda compilation tools, release 13.0, V13.0.88")
    assert toolchain.nvcc().origin == "wheel"
    forget()
    fake(bare, "nvcc", "Cuda compilation tools, release 13.1, V13.1.2")
    found = toolchain.nvcc()
    assert (found.origin, found.version, found.numbers) == ("PATH", "13.1.2", (13, 1, 2))


def test_variable_comes_first(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(bare, "g++", "12.1.0")
    own = fake(tmp_path / "own", "g++-14", "14.2.0")
    monkeypatch.setenv("PORTER_CXX", str(own))
    assert (toolchain.gxx().path, toolchain.gxx().origin) == (own, "$PORTER_CXX")


def test_too_old_or_broken(bare: Path) -> None:
    fake(bare, "g++", "9.4.0")
    with pytest.raises(NoCompiler, match=r"9\.4\.0, which is too old"):
        toolchain.gxx()
    fake(bare, "nvcc", "broken", status=1)
    with pytest.raises(NoNvcc, match="does not work"):
        toolchain.nvcc()


def test_disassembler_beside_nvcc(bare: Path, tmp_path: Path) -> None:
    toolkit = tmp_path / "toolkit"
    fake(bare, "nvcc", f"release 13.0, V13.0.88\n#$ _HERE_={toolkit}")
    fake(toolkit, "nvdisasm", "V13.0.88")
    assert toolchain.cuda_tool("nvdisasm").origin == "beside nvcc"


def test_doctor_on_a_bare_machine(bare: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.execute(["doctor", "--json"]) == ToolMissing.exit_code
    captured = capsys.readouterr()
    found = {row["name"]: row for row in json.loads(captured.out)}
    assert found["g++"]["state"] == "lacks" and "apt-get install g++" in found["g++"]["advice"]
    assert found["nvcc"]["state"] == "lacks" and not found["nvcc"]["essential"]
    assert found["git"]["state"] == "lacks"
    assert "the host twin needs g++" in captured.err


def test_doctor_without_nvcc_is_content(
    bare: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(bare, "g++", "12.2.0")
    monkeypatch.setenv("COLUMNS", "200")
    assert cli.execute(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "pip install 'gpusnek-porter[cuda]'" in out  # and not taken for markup


def test_doctor_counts_builds(
    bare: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake(bare, "g++", "12.2.0")
    monkeypatch.setenv("PORTER_HOME", str(tmp_path))

    def builds() -> tuple[str, str]:
        assert cli.execute(["doctor", "--json"]) == 0
        found = {row["name"]: row for row in json.loads(capsys.readouterr().out)}["builds"]
        return found["state"], found["detail"].split(" in ")[0]

    assert builds() == ("lacks", "none")
    for name in ("1.26.1-a/k1", "1.26.1-a/k2", "1.26.1-a/unfinished", "bench"):
        (tmp_path / "build" / name).mkdir(parents=True)
    for name in ("k1", "k2"):
        (tmp_path / "build/1.26.1-a" / name / "build.json").touch()
    assert builds() == ("ok", "2")


def test_doctor_survives_a_broken_cupy(
    bare: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake(bare, "g++", "12.2.0")
    (tmp_path / "cupy.py").write_text("raise RuntimeError('no driver\\nsecond line')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    assert cli.execute(["doctor", "--json"]) == 0
    found = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert found["GPU"]["detail"] == "no CuPy: no driver"
