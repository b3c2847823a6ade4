"""`porter run --compiled`: output equals that of the interpreted run, byte for byte."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from porter.errors import ProgramSyntaxError
from porter.native import known_programs
from porter.run import Device, Launch, Program
from tests.cli.conftest import Porter

if TYPE_CHECKING:
    from porter.pipeline import Build

PROGRAMS = {
    "failing": """\
import sys
def total(n):
    found = 0
    for i in range(n):
        found += i * threadIdx
    return found
print(total(1000), __file__, __name__, sys.argv)
if threadIdx % 2: total("x")
sys.exit(threadIdx)
""",
    "reading": "while True:\n    print(input())\n",
    "wrong": "def f(:\n",
    "empty": "",
    "endless": "n = 0\nwhile True: n += 1\n",
}


@pytest.fixture(scope="session")
def place(built: Build) -> list[str | Path]:
    return ["--build", built.folder, "--target", "host", "-n", "4"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_equal(porter: Porter, place: list[str | Path], tmp_path: Path, name: str) -> None:
    file = tmp_path / f"{name}.py"
    file.write_text(PROGRAMS[name])
    options = [*place, "--max-steps", "100000", "--console", "ring", file]
    plain, compiled = (
        porter("run", *more, *options, input="one\ntwo\n") for more in ([], ["--compiled"])
    )
    assert compiled == plain


def test_times_say_what_was_compiled(porter: Porter, place: list[str | Path], home: str) -> None:
    code = "def f(n):\n  for i in range(n): i * 2\nf(9)"
    lines = []
    for _ in range(2):
        done = porter("run", "--compiled", "--times", "-c", code, *place, PORTER_HOME=home)
        assert done.code == 0 and done.out == "", done.err
        lines.append(done.err.splitlines()[-2:])
    assert lines[0][1] == lines[1][1] == "  <string>:2 f"
    assert lines[0][0].startswith("compiled: 1 of 2 functions, profile 0.")
    assert lines[1][0].startswith("compiled from the cache: 1 of 2 functions, load 0.")


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path)


def test_no_compiler(porter: Porter, place: list[str | Path]) -> None:
    done = porter("run", "--compiled", "-c", "1", *place, PORTER_CXX="/nowhere")
    assert done.code == 11
    assert "no g++ on this machine" in done.err


class Gpu:
    """A fake GPU with the attributes that reopening a GPU reads."""

    name = "cuda"
    built = "the build"

    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        """Release memory."""
        self.closed = True


def test_a_gpu_is_opened_with_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, Any, Any]] = []

    def opened(built: object, sources: object, **options: object) -> str:
        asked.append((built, sources, options))
        return "a GPU with machine code"

    monkeypatch.setattr(known_programs, "open_compiled", opened)
    gpu: Any = Gpu()
    program, launch = (
        Program(b"print(1)\n", "one.py"),
        Launch(heap=1 << 16, sandbox=True, timeout=3),
    )
    assert str(known_programs.compiled_device(gpu, program, launch)) == "a GPU with machine code"
    ((built, sources, options),) = asked
    assert gpu.closed and built == "the build" and sources == [b"print(1)\n"]
    assert options["name"] == "one.py"
    # Compilation uses the sizes of the run, without its limits.
    assert options["launch"] == Launch(heap=1 << 16, sandbox=True)


def test_what_does_not_compile_runs_on_the_builds_own_kernels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise ProgramSyntaxError("invalid syntax")

    monkeypatch.setattr(known_programs, "open_compiled", refused)
    monkeypatch.setattr(known_programs, "open_device", lambda built, target: f"{target} of {built}")
    gpu: Any = Gpu()
    found = known_programs.compiled_device(gpu, Program(b"def f(:\n", "wrong.py"), Launch())
    assert str(found) == "cuda of the build"


def test_the_host_twin_stays_open(any_device: Device) -> None:
    if any_device.name == "cuda":
        pytest.skip("this is about the host twin")
    assert (
        known_programs.compiled_device(any_device, Program(b"", "empty.py"), Launch()) is any_device
    )


@pytest.mark.gpu
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_equal_on_a_gpu(porter: Porter, tmp_path: Path, name: str) -> None:
    if "PORTER_GPU_BUILD" not in os.environ:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    file = tmp_path / f"{name}.py"
    file.write_text(PROGRAMS[name])
    place = ["--build", os.environ["PORTER_GPU_BUILD"], "--target", "cuda", "-n", "100"]
    options = [*place, "--max-steps", "100000", "--console", "ring", file]
    plain, compiled = (
        porter("run", *more, *options, input="one\ntwo\n") for more in ([], ["--compiled"])
    )
    assert compiled == plain
