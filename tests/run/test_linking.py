"""Linking PTX for a GPU without code in the build, on a fake driver."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from porter.errors import BuildDamaged, LaunchFailed
from porter.manifest import BuiltFile, DeviceOutput
from porter.run.built import Built
from porter.run.device import linked_code

# It "links" by concatenating its inputs, after the register cap.
DRIVER = r"""
#include <cstdio>
#include <cstring>
#include <string>
static std::string text;
static char *log_buffer;
extern "C" int cuLinkCreate_v2(unsigned n, const unsigned *names, void **values, void **state) {
    for (unsigned i = 0; i < n; i++) {
        if (names[i] == 0) text = std::to_string((unsigned)(size_t)values[i]) + ":";
        if (names[i] == 5) log_buffer = (char *)values[i];
    }
    *state = &text;
    return 0;
}
extern "C" int cuLinkAddData_v2(void *state, int type, void *data, size_t size, const char *name,
                                unsigned n, unsigned *, void **) {
    if (state != &text || type != 1 || n != 0 || ((char *)data)[size - 1] != 0) return 1;
    if (strstr((char *)data, "wrong")) {
        strcpy(log_buffer, "line 7: wrong");
        return 218;
    }
    text += std::string(name) + "=" + (char *)data + ";";
    return 0;
}
extern "C" int cuLinkComplete(void *state, void **cubin, size_t *size) {
    *cubin = (void *)text.data();
    *size = text.size();
    return state != &text;
}
extern "C" int cuLinkDestroy(void *) { return 0; }
"""


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("driver")
    (folder / "driver.cpp").write_text(DRIVER)
    library = folder / "libcuda.so"
    command: list[str | Path] = ["g++", "-shared", "-fPIC", folder / "driver.cpp", "-o", library]
    subprocess.run(command, check=True)
    return library


def gpu(capability: str) -> Any:
    """Return a fake of the parts of CuPy for linking, with a GPU of this compute capability."""
    runtime = SimpleNamespace(driverGetVersion=lambda: 13000, free=lambda pointer: None)
    device = SimpleNamespace(compute_capability=capability)
    return SimpleNamespace(cuda=SimpleNamespace(Device=lambda: device, runtime=runtime))


@pytest.fixture
def built(tmp_path: Path, driver: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(linked_code, "DRIVER", str(driver))
    monkeypatch.setenv("PORTER_HOME", str(tmp_path / "home"))
    return with_units(tmp_path, {"b": "two", "a": "one"})


def with_units(folder: Path, units: dict[str, str], ptx: str = "compute_80") -> Any:
    files = {}
    for name, text in units.items():
        path = folder / "cuda" / "ptx" / f"{name}.ptx"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        digest = hashlib.sha256(text.encode()).hexdigest()
        files[f"cuda/ptx/{name}.ptx"] = BuiltFile(len(text), digest)
    output = DeviceOutput("13", ("-O3", "-maxrregcount=64"), files, {}, "cuda/a.fatbin", {}, ptx)
    inputs = SimpleNamespace(config={"arch": "sm_80,sm_90,compute_80"})
    whole: Any = SimpleNamespace(targets={"cuda": output}, inputs=inputs)
    return Built(folder, {}, whole)


def test_linked_once(built: Any, capfd: pytest.CaptureFixture[str]) -> None:
    made = linked_code.linked_for(gpu("130"), built)
    assert made is not None and made.name.startswith("sm_130-")
    assert made.read_bytes() == b"64:a.ptx=one;b.ptx=two;"
    assert "linking native code for sm_130" in capfd.readouterr().err
    assert linked_code.linked_for(gpu("130"), built) == made
    assert capfd.readouterr().err == ""
    assert linked_code.linked_for(gpu("110"), built) not in (made, None)


@pytest.mark.parametrize("damage", [b"", b"64:a.ptx=one;b.ptx=tw", b"64:a.ptx=one;b.ptx=twO;"])
def test_what_was_linked_and_is_damaged_is_linked_again(built: Any, damage: bytes) -> None:
    made = linked_code.linked_for(gpu("130"), built)
    assert made is not None
    good = made.read_bytes()
    made.write_bytes(damage)
    assert linked_code.linked_for(gpu("130"), built) == made and made.read_bytes() == good


def test_ptx_that_is_damaged(built: Any, tmp_path: Path) -> None:
    (tmp_path / "cuda/ptx/b.ptx").write_text("tw0")
    with pytest.raises(BuildDamaged, match=r"b\.ptx: the file was changed"):
        linked_code.linked_for(gpu("130"), built)
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("capability", ["80", "89", "90"])
def test_what_has_code_is_not_linked(built: Any, capability: str, tmp_path: Path) -> None:
    assert linked_code.linked_for(gpu(capability), built) is None
    assert not (tmp_path / "home").exists()


def test_nothing_to_link(tmp_path: Path) -> None:
    assert linked_code.linked_for(gpu("130"), with_units(tmp_path, {"a": "one"}, ptx="")) is None


def test_what_the_driver_refuses(built: Any, tmp_path: Path) -> None:
    wrong = with_units(tmp_path, {"c": "wrong"})
    with pytest.raises(LaunchFailed, match=r"PTX of c\.ptx: .* gives 218: line 7: wrong") as caught:
        linked_code.linked_for(gpu("130"), wrong)
    assert "--arch native" in str(caught.value.hint)
    assert not (tmp_path / "home").exists()


def test_no_driver(built: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linked_code, "DRIVER", "libnone.so.1")
    with pytest.raises(LaunchFailed, match="the driver does not load"):
        linked_code.linked_for(gpu("130"), built)


def test_a_home_that_cannot_be_written(
    built: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "home").write_text("a file")
    made = linked_code.linked_for(gpu("130"), built)
    assert made is not None and made.read_bytes().startswith(b"64:")
    assert not made.is_relative_to(tmp_path / "home")


def test_a_machine_that_runs_builds_needs_little() -> None:
    """README lists the requirements of running a build; no cache folder is among them."""
    missing = "('platformdirs', 'click', 'rich', 'elftools', 'clang')"
    code = f"import sys; sys.modules |= dict.fromkeys({missing})\n"
    code += "import porter.run.device.cuda, porter.run.device.host, porter.array.device_selection"
    subprocess.run([sys.executable, "-c", code], check=True)
