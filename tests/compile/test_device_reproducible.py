"""Equal units give equal PTX and SASS, independent of the folders of build and project."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from porter import toolchain
from porter.base import paths
from porter.compile.cuda import _rules
from porter.compile.flags import REGISTERS
from porter.compile.ninja import Edge, run_ninja
from porter.compile.sources import find_sources
from porter.config import BuildConfig
from porter.errors import NoNvcc
from porter.pipeline import Build

# Units of upstream and the port, which contain static functions, tables, state and floats.
UNITS = ("py_objcell.cpp", "py_argcheck.cpp", "port_stdio.cpp")


def compiled(built: Build, folder: Path) -> dict[str, str]:
    """Return hashes of PTX and cubin of UNITS, with C++, runtime and build below `folder`."""
    (folder / "cxx").mkdir(parents=True)
    for name in (*UNITS, "porter_state.h"):
        shutil.copyfile(built.sources / "cxx" / name, folder / "cxx" / name)
    for name in ("runtime", "port"):
        shutil.copytree(paths.templates_dir() / name, folder / "templates" / name)
    sources = find_sources(folder, folder / "templates" / "runtime")
    config = BuildConfig(release="1", target="cuda")
    edges = []
    for unit in sources.units:
        ptx, cubin = (folder / "out" / f"{unit.stem}.{kind}" for kind in ("ptx", "cubin"))
        number = hashlib.sha256(unit.name.encode()).hexdigest()[:8]
        edges.append(Edge("ptx", (ptx,), (unit,), sources.headers, (("id", number),)))
        edges.append(Edge("cubin", (cubin,), (ptx,), (), (("arch", config.arch),)))
    rules = _rules(config, str(toolchain.nvcc().path), "fatbinary", sources, REGISTERS)
    assert run_ninja(folder / "out", rules, edges, what="units", jobs=2) == len(edges)
    made = [edge.outputs[0] for edge in edges]
    assert not [path for path in made if str(folder).encode() in path.read_bytes()]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in made}


@pytest.mark.campaign("device-build")
def test_two_folders(built: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        toolchain.nvcc()
    except NoNvcc as error:
        pytest.skip(str(error))
    monkeypatch.setenv("CCACHE_DISABLE", "1")  # otherwise the second would be a copy of the first
    first = compiled(built, tmp_path / "here")
    assert first == compiled(built, tmp_path / "quite" / "somewhere else")
    assert len(first) == 2 * len(UNITS)
