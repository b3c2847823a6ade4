"""The examples and the checks of users' kernels: g++ against the host twin, nvcc on a GPU.

On a GPU: PORTER_GPU_BUILD is a build with global arenas, and nvcc is there.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from porter.generate.kernel_project import write_project
from porter.run.built import open_build

EXAMPLES = Path(__file__).parents[2] / "examples"
CHECKS = Path(__file__).with_name("kernel_checks.cu")
COLUMNS = 1024  # of Figure 8's matrix here; 262,144 in the figure

OUTPUTS = {
    "figure2_hello": [
        *["Hello World!"] * 4,
        "Traceback (most recent call last):",
        '  File "<string>", line 3, in <module>',
        "ValueError: not me",
        *[f"thread {i}: status {int(i == 3)}, square {i * i}" for i in range(4)],
        "1 KiB: status -2",
    ],
    "figure3_mean": ["mean 49.617188", "mean 49.828125", "mean 50.039062"],
    "figure4_files": ["THE FILESYSTEM LIVES ON THE GPU"],
    "figure8_sum": [
        f"{kernel}: {COLUMNS} columns"
        for kernel in ("cuda_sum", "gpusnek_sum", "gpusnek_precompiled_sum")
    ],
}

CHECKED = """\
before setup: 96x-6
before init: 64x7 32x-7
init: 96x0
SyntaxError: 96x3
handles are alike: 1
bytecode: 96x0
its global: 96x0
n: 3 to 98
bytecode that raises: 96x1
bytecode that exits: 96x2
exit code as asked: 96x1
release: 96x0
release again: 96x-11
bytecode that is gone: 96x-11
compile: 96x0
the handle comes again: 1
ended neighbours: 96 right
contention: 96x0
4800 95 -95 96, 2400 47.5, 4800
shared memory: 96x0
shared memory, bound again: 96x0
recursion: 96x1
afterwards: 96x0
arguments: 2x1 3x-10 1x-11
two dimensions: 4x-8
no memory: 96x-2
little memory: 6x-2 1x0
"""


@pytest.fixture(scope="module", params=["host", pytest.param("sm_90", marks=pytest.mark.gpu)])
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all programs, compiled for the target by examples/build.sh."""
    if request.param == "host":
        build = request.getfixturevalue("built").folder
    elif "PORTER_GPU_BUILD" not in os.environ:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    elif shutil.which("nvcc") is None:
        pytest.skip("there is no nvcc")
    else:
        build = Path(os.environ["PORTER_GPU_BUILD"])
        if not (build / "cuda" / "libgpusnek.a").is_file():
            pytest.skip("PORTER_GPU_BUILD has no library for users' kernels")
        if open_build(build).config["arena"] != "global":
            pytest.skip("users' kernels need a build with global arenas")
    folder = tmp_path_factory.mktemp("examples")
    here = tmp_path_factory.mktemp("sources")
    for source in (*filter(Path.is_file, EXAMPLES.iterdir()), CHECKS):
        shutil.copy(source, here)
    line = [here / "build.sh", request.param, build, folder, f"-DNUM_COLS={COLUMNS}"]
    subprocess.run(line, check=True, capture_output=True)
    return folder


def run(program: Path) -> str:
    done = subprocess.run(
        [program], capture_output=True, text=True, check=False, timeout=300, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", OUTPUTS)
def test_example(programs: Path, name: str) -> None:
    assert run(programs / name).splitlines() == OUTPUTS[name]


def test_every_example_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.cu")} == set(OUTPUTS)


def test_what_kernels_may_do(programs: Path) -> None:
    assert run(programs / "kernel_checks") == CHECKED


def test_a_new_project_on_the_host(built: Any, tmp_path: Path) -> None:
    write_project(tmp_path / "mine", "sm_90")
    line = ["./build.sh", "--host", built.folder]
    subprocess.run(line, check=True, cwd=tmp_path / "mine")
    roots = sum(math.sqrt(k) for k in range(63))
    assert run(tmp_path / "mine" / "mine") == f"thread 63: {roots:f}\n"


def test_the_script_says_what_it_needs(tmp_path: Path) -> None:
    for arguments in (["host", tmp_path], ["host", tmp_path, tmp_path], ["sm_90"]):
        done = subprocess.run(
            [EXAMPLES / "build.sh", *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert "usage" in done.stderr
    assert not list(tmp_path.iterdir())
