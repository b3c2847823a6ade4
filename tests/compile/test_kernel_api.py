"""gpusnek.cuh: users' kernels compile and link with one nvcc line (tests/gpu runs them)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner

sys.path.insert(0, str(Path(__file__).parents[1]))

from fake_build import fake_build

from porter import toolchain
from porter.base import paths
from porter.cli.new_kernel import command
from porter.compile import compile_build
from porter.compile.flags import VARIANTS, host_compile
from porter.compile.sources import find_sources
from porter.config import BuildConfig
from porter.errors import FileProblem, NoNvcc, UsageError
from porter.generate.kernel_project import write_project
from porter.pipeline import build
from porter.sync.lock import newest_release

EXAMPLE = Path(__file__).parents[2] / "examples" / "figure2_hello.cu"
CONFIG = BuildConfig(release="0.0.0", target="cuda", arena="global")


@pytest.fixture(scope="module")
def nvcc() -> str:
    try:
        return str(toolchain.nvcc().path)
    except NoNvcc as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stand-in")
    fake_build(folder)
    return folder


def compile_user(
    nvcc: str, source: Path, built: Path, out: Path
) -> subprocess.CompletedProcess[str]:
    line = [nvcc, "-arch=sm_90", "-rdc=true", f"-I{built}/include", str(source)]
    line += [f"-L{built}/cuda", "-lgpusnek", "-o", str(out)]
    return subprocess.run(line, capture_output=True, text=True, check=False)


@pytest.mark.campaign("device-build")
def test_users_kernels_link(nvcc: str, sources: Path, tmp_path: Path) -> None:
    built = compile_build(CONFIG, sources, jobs=2).folder
    files = write_project(tmp_path / "mine", "sm_90")
    for source in (EXAMPLE, files[0]):
        out = tmp_path / f"{source.stem}.out"
        done = compile_user(nvcc, source, built, out)
        assert done.returncode == 0, done.stderr
        assert out.stat().st_size > 0


@pytest.mark.campaign("device-build")
def test_local_arenas_have_no_functions_for_kernels(
    nvcc: str, sources: Path, tmp_path: Path
) -> None:
    built = compile_build(attrs.evolve(CONFIG, arena="local"), sources, jobs=2).folder
    done = compile_user(nvcc, EXAMPLE, built, tmp_path / "user")
    assert done.returncode != 0
    assert "gpusnek_init" in done.stderr + done.stdout
    assert not (tmp_path / "user").exists()


def test_a_project_is_written_once(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    done = CliRunner().invoke(command, [str(folder), "--arch", "sm_80"])
    assert done.exit_code == 0
    assert {path.name for path in folder.iterdir()} == {"mine.cu", "README.md", "build.sh"}
    assert "-arch=sm_80" in (folder / "build.sh").read_text()
    with pytest.raises(FileProblem, match="there already"):
        write_project(folder, "sm_90")


@pytest.mark.parametrize(
    ("args", "asked", "compiler"),
    [
        ([], "build --target cuda --arena global --arch sm_80", "nvcc"),
        (["--host"], "build --target host", "g++"),
        (["/given"], "", "nvcc"),
        (["--host", "/given"], "", "g++"),
    ],
)
def test_a_project_has_its_build_made(
    tmp_path: Path, args: list[str], asked: str, compiler: str
) -> None:
    folder = tmp_path / "mine"
    write_project(folder, "sm_80")
    programs = {
        "porter": "echo told >&2; echo a table; echo /made; exit ${FAILS:-0}",
        "nvcc": ":",
        "g++": ":",
    }
    for name, text in programs.items():
        log = f'echo "$@" >>{tmp_path}/{name}.log'
        (tmp_path / name).write_text(f"#!/bin/sh\n{log}\n{text}\n")
        (tmp_path / name).chmod(0o755)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    subprocess.run(["./build.sh", *args], cwd=folder, env=env, check=True)
    told = tmp_path / "porter.log"
    assert (told.read_text().strip() if told.exists() else "") == asked
    used = "/made" if asked else "/given"
    compiled = tmp_path / f"{compiler}.log"
    assert f"-I{used}/include" in compiled.read_text()
    compiled.unlink()
    done = subprocess.run(["./build.sh", *args], cwd=folder, env={**env, "FAILS": "3"})
    assert (done.returncode != 0) == bool(asked) and compiled.exists() != bool(asked)


@pytest.mark.parametrize("name", ["1st", "a b", "x;y"])
def test_a_name_that_is_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="not a project's name"):
        write_project(tmp_path / name, "sm_90")
    assert not list(tmp_path.iterdir())


def test_nowhere_to_write(tmp_path: Path) -> None:
    with pytest.raises(FileProblem):
        write_project(tmp_path / "no such folder" / "mine", "sm_90")


GLOBALS = """\
start 0
int 0
float 0
str 0
memory 0
5
run 0
j 0 -9223372036854775807
g 0 5
i as float 0
t 0 10 éllo
data 9
missing 1
builtin 1
type 1
big 1
kept 7
utf-8 1
typecode 1
unaligned 1
full 1
alive héllo
after 0
NameError: name 'nothing' is not defined
NameError: name 'len' is not defined
"""


def test_globals_by_name_on_the_host(tmp_path: Path) -> None:
    release = newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    made = build(BuildConfig(release=release, arena="global"))
    sources = find_sources(made.sources)
    objects = (made.sources / "host" / "libgpusnek.so.rsp").read_text().split()
    program = tmp_path / "globals"
    line = [str(toolchain.gxx().path), *host_compile(VARIANTS["release"])]
    line += [f"-I{folder}" for folder in sources.include]
    line += [str(Path(__file__).with_name("kernel_globals.cpp")), *objects]
    subprocess.run([*line, "-o", str(program)], check=True)
    done = subprocess.run([str(program)], capture_output=True, check=True, timeout=60)
    text = done.stdout.decode("utf-8", "replace")
    assert text.startswith(GLOBALS)
    reported = [row.split(":")[0] for row in text[len(GLOBALS) :].splitlines() if row[0] != " "]
    assert reported == [
        "TypeError",
        "OverflowError",
        "UnicodeError",
        "ValueError",
        "ValueError",
        "MemoryError",
    ]
