"""The headers that a build ships and generates: no warning, and no macro defined twice."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from porter import toolchain
from porter.base import paths
from porter.errors import NoNvcc
from porter.generate.kernel_project import write_project

if TYPE_CHECKING:
    from porter.pipeline import Build

WARNINGS = ("-Wall", "-Wextra")
CXX = ("-x", "c++", "-std=c++17")
OURS = re.compile(r"^#define ((?:GPUSNEK|PORTER)_\w+)", re.MULTILINE)


def compiled(arguments: Sequence[str], text: str) -> str:
    """Compile `text` from stdin; return the compiler's messages. The compiler must accept it."""
    done = subprocess.run(arguments, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr + done.stdout


def includes(build: Build) -> dict[str, list[str]]:
    """Return the options to find each header: of a user's kernel, and of a rewritten unit."""
    shipped = sorted((build.folder / "include").iterdir())
    found = {file.name: [f"-I{file.parent}"] for file in shipped}
    inner = [f"-I{build.sources / 'cxx'}", f"-I{paths.templates_dir() / 'runtime'}"]
    inner += [f"-I{paths.templates_dir() / 'port'}"]
    return found | dict.fromkeys(("porter_state.h", "porter_runtime.h", "kernel_api.h"), inner)


def test_gxx_warns_of_nothing(built: Build) -> None:
    gxx = str(toolchain.gxx().path)
    headers = includes(built)
    assert {"gpusnek.cuh", "interp.h", "launch.h"} <= set(headers)
    for name, options in headers.items():
        said = compiled(
            [gxx, *CXX, *WARNINGS, "-fsyntax-only", *options, "-"], f'#include "{name}"\n'
        )
        assert said == "", name
    for name in ("interp.h", "launch.h"):
        line = [gxx, "-x", "c", "-std=c11", *WARNINGS, "-fsyntax-only", *headers[name], "-"]
        assert compiled(line, f'#include "{name}"\n') == "", f"{name} as C"


@pytest.mark.parametrize("local", [0, 1])
def test_nvcc_warns_of_nothing(built: Build, tmp_path: Path, local: int) -> None:
    source = tmp_path / "unit.cu"
    source.write_text('#include "porter_runtime.h"\n#include "interp.h"\n#include "launch.h"\n')
    sizes = ["-DPORTER_STACK_BYTES=8192u", "-DPORTER_STACK_SLACK=4096u"]
    line = [*nvcc_line(), f"-DPORTER_ARENA_LOCAL={local}", *sizes]
    line += [*includes(built)["porter_runtime.h"], "-c", str(source), "-o", f"{tmp_path}/a.o"]
    assert compiled(line, "") == ""


def nvcc_line() -> list[str]:
    """Return nvcc's command line with all warnings enabled; skip without nvcc."""
    try:
        nvcc = str(toolchain.nvcc().path)
    except NoNvcc as error:
        pytest.skip(str(error))
    warnings = f"-Xcompiler={','.join(WARNINGS)}"
    return [nvcc, "-arch=sm_90", "-rdc=true", "-std=c++17", "-Wreorder", warnings]


def test_no_macro_is_defined_twice(built: Build) -> None:
    gxx = str(toolchain.gxx().path)
    for name, options in includes(built).items():
        text = compiled([gxx, *CXX, "-E", "-dD", *options, "-"], f'#include "{name}"\n')
        twice = [macro for macro, times in Counter(OURS.findall(text)).items() if times > 1]
        assert not twice, name


def test_a_second_definition_is_found(tmp_path: Path) -> None:
    (tmp_path / "two.h").write_text("#define GPUSNEK_A 1\n#define GPUSNEK_A 1\n")
    text = compiled(["g++", *CXX, "-E", "-dD", f"-I{tmp_path}", "-"], '#include "two.h"\n')
    assert OURS.findall(text) == ["GPUSNEK_A"] * 2


def kernels(tmp_path: Path) -> list[Path]:
    """Return the project that `porter new-kernel` writes, and the examples."""
    project = [file for file in write_project(tmp_path / "mine", "sm_90") if file.suffix == ".cu"]
    return [*project, *sorted((Path(__file__).parents[2] / "examples").glob("*.cu"))]


@pytest.mark.parametrize("compiler", ["g++", "nvcc"])
def test_users_kernels_compile_without_a_warning(
    built: Build, tmp_path: Path, compiler: str
) -> None:
    line = [str(toolchain.gxx().path), *CXX, *WARNINGS]
    if compiler == "nvcc":
        line = nvcc_line()
    for source in kernels(tmp_path):
        done = subprocess.run(
            [*line, f"-I{built.folder}/include", "-c", str(source), "-o", str(tmp_path / "a.o")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr + done.stdout) == (0, ""), source.name
