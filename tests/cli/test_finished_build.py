"""--build FOLDER: a finished build runs without compiler and sources, with sizes of a launch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import Porter, Raw

if TYPE_CHECKING:
    from porter.pipeline import Build


BARE = {"PORTER_CXX": "/nonexistent/g++", "PATH": "/nonexistent"}


@pytest.mark.parametrize("command", ["run", "repl", "smoke"])
def test_no_compiler_and_no_sources(on_build: Raw, tmp_path: Path, command: str) -> None:
    code = ["-c", "print('ran')"] if command == "run" else []
    bare = {**BARE, "PORTER_HOME": str(tmp_path)}
    done = on_build(command, "-n", 2, *code, input=b"print('ran')\n", **bare)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"ran" in done.stdout or b"ok" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_sizes_of_the_launch(on_build: Raw) -> None:
    sizes = ("--heap", "256K", "--pystack", "16K", "--stdout", "4K", "--fs-size", "64K")
    code = "import os; x = bytearray(200000); print(os.statvfs('/')[2], 'x' * 3000)"
    done = on_build("run", "-n", 2, *sizes, "-c", code)
    assert (done.returncode, done.stdout) == (0, b"128 " + b"x" * 3000 + b"\n")
    lines = b"x = bytearray(200000)\nprint('x' * 3000)\n"
    done = on_build("repl", "-n", 2, *sizes[:6], input=lines)
    assert (done.returncode, done.stdout) == (0, b"x" * 3000 + b"\n")
    assert on_build("run", "--gc-stress", "-c", "print(1)").stdout == b"1\n"


@pytest.mark.parametrize(
    ("option", "value", "has"),
    [
        ("--arena", "global", "local"),
        ("--float", "single", "double"),
        ("--level", "extra", "everything"),
        ("--arch", "sm_75", "sm_90"),
        ("--release", "1.2.3", "1."),
    ],
)
@pytest.mark.parametrize("command", ["run", "repl", "smoke"])
def test_what_is_built_is_built(
    on_build: Raw, command: str, option: str, value: str, has: str
) -> None:
    code = ["-c", "1"] if command == "run" else []
    done = on_build(command, option, value, *code)
    assert done.returncode == 2
    assert f"{option} {value}: the build in ".encode() in done.stderr
    assert f" has {has}".encode() in done.stderr


def test_other_mistakes(porter: Porter, built: Build, tmp_path: Path) -> None:
    (tmp_path / "build.json").write_text("{}")
    (tmp_path / "porter.toml").write_text('heap = "16K"\n')
    for folder, code, message in (
        ("/no/such", 31, "/no/such: there is no finished build"),
        (tmp_path, 31, "not a manifest"),
    ):
        done = porter("run", "--build", folder, "-c", "1")
        assert (done.code, message in done.err) == (code, True)
    for options, code, message in (
        (("--config", tmp_path / "porter.toml"), 2, "--build has its own settings"),
        (("--heap", "1K"), 2, "heap: 1K is too small"),
        (("--heap", "12345"), 2, "heap: 12345 is not a multiple of 16"),
        (("--target", "all"), 2, "not on all"),
        (("--target", "cuda"), 31, "there is no cuda build"),
    ):
        done = porter("run", "--build", built.folder, *options, "-c", "1")
        assert (done.code, message in done.err) == (code, True)


def test_upstreams_tests_need_room(on_build: Raw) -> None:
    for more in ([], ["--heap", "512K"], ["--stdout", "128K"]):
        done = on_build("conformance", *more)
        assert done.returncode == 2
        assert b"upstream's tests do not fit: --" in done.stderr
        assert b"Give --heap 512K --stdout 128K" in done.stderr
    sizes = ("--heap", "512K", "--stdout", "128K")
    assert on_build("conformance", *sizes, "basics/int1.py").returncode == 0
    few = on_build("conformance", "basics/0prelim.py")
    assert (few.returncode, b"some tests may not fit" in few.stderr) == (0, True)
    wrong = on_build("conformance", *sizes, "--arena", "global", "basics/int1.py")
    assert (wrong.returncode, b"--arena global: the build in" in wrong.stderr) == (2, True)
