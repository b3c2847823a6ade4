"""Upstream's tests as native code, also with a collection per allocation."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from porter.base import paths
from porter.cli import execute
from porter.compiler.options import CompilerOptions
from porter.conformance.backends.build_runner import ScriptOpener
from porter.conformance.discovery import discover
from porter.conformance.records import Script, ScriptStatus
from porter.run.built import open_build
from porter_dev.torture.python.comparison import difference, session

if TYPE_CHECKING:
    from porter.pipeline import Build

# g++ runs without optimising, so frames of C are large.
SIZES = ["--heap", "512K", "--stdout", "128K", "--stack", "128K", "--pystack", "32K"]
FEW = ["basics/for*", "basics/try*", "basics/gen*", "basics/int_*", "float/float_*"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--fail-guards", "all"], "--fail-guards all: it requires --compiled"),
        (["--enter", "everywhere"], "--enter everywhere: it requires --compiled"),
        (
            ["--compiled", "--fail-guards", "0"],
            "--fail-guards 0: neither `all` nor a number from 1",
        ),
        (["--compiled", "--fail-guards", "often"], "--fail-guards often: neither"),
        (["--compiled", "--target", "reference"], "--compiled: native code runs on"),
        (
            ["--compiled", "--variant", "asan", "--target", "host"],
            "--compiled: native code runs on",
        ),
    ],
)
def test_what_cannot_be_is_said(
    options: list[str], said: str, built: Build, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["conformance", *options, "basics/list1"]) == 2
    assert said in capsys.readouterr().err


def test_a_program_runs_as_machine_code(built: Build) -> None:
    """A program that does not compile reports it; each finds its own file system and __file__."""
    _check_programs(built.folder, "host")


@pytest.mark.gpu
def test_a_program_runs_as_machine_code_in_kernels() -> None:
    if "PORTER_GPU_BUILD" not in os.environ:
        pytest.skip("PORTER_GPU_BUILD names no device build")
    if shutil.which("nvcc") is None:
        pytest.skip("no nvcc")
    _check_programs(Path(os.environ["PORTER_GPU_BUILD"]), "cuda")


def _check_programs(folder: Path, target: str) -> None:
    run = ScriptOpener(folder, target, 20.0, native=CompilerOptions())()
    names = ["/a/x.py", "/b/y.py", "/z.py"]
    sources = [b"print(__file__, open('t').read())\n", b"for i in range(3): print(i)\n"]
    sources.append(b"x = = 1\n")
    setups = [b"import os\nos.chdir('/a')\n", b"", b""]
    scripts = [
        Script(name, source, tree=(("a/t", b"text"),), setup=setup)
        for name, source, setup in zip(names, sources, setups, strict=True)
    ]
    outcomes = run(scripts)
    assert [one.output for one in outcomes[:2]] == [b"/a/x.py text\n", b"0\n1\n2\n"]
    assert b"SyntaxError" in outcomes[2].output
    assert [one.status for one in outcomes] == [
        ScriptStatus.OK, ScriptStatus.OK, ScriptStatus.EXCEPTION
    ]  # fmt: skip


def _run(built: Build, path: Path, *options: str, compiled: bool = True) -> dict[str, str]:
    """Return the tests without a good verdict, with reasons."""
    where = ["--build", str(built.folder), "--target", "host", *SIZES]
    how = ["--compiled"] if compiled else []
    execute(["conformance", *where, *how, "--json", str(path), *options])
    results = json.loads(path.read_text())["results"]
    bad = {r["test"]: r["reason"] for r in results if r["verdict"] not in ("pass", "skip")}
    assert any(r["verdict"] == "pass" for r in results)
    return bad


def test_some_basics_of_upstream(built: Build, tmp_path: Path) -> None:
    assert _run(built, tmp_path / "report.json", "--enter", "everywhere", *FEW[:2]) == {}


@pytest.mark.campaign("compiled-suite")
def test_basics_of_upstream(built: Build, tmp_path: Path) -> None:
    assert not _run(built, tmp_path / "report.json", "basics")


@pytest.mark.campaign("compiled-suite")
@pytest.mark.parametrize(
    "forced",
    [["--fail-guards", "all"], ["--fail-guards", "3"], ["--enter", "everywhere"], ["--gc-stress"]],
)
def test_some_of_upstream_in_other_ways(built: Build, forced: list[str], tmp_path: Path) -> None:
    assert _run(built, tmp_path / "report.json", *forced, *FEW) == {}


@pytest.mark.campaign("compiled-suite")
def test_modules_of_upstream_collect_before_every_allocation(built: Build, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    assert _run(built, report, "--gc-stress", "extmod", compiled=False) == {}


@pytest.mark.campaign("compiled-suite")
def test_basics_of_upstream_where_an_allocation_fails(built: Build) -> None:
    """The output may differ, but the interpreter must not fail internally."""
    release = paths.upstream_dir() / str(open_build(built.folder).config["release"])
    tests = discover(release / "tests", ["basics"])
    assert len(tests) > 510
    using = session(built.folder, ["memory"])
    wrong = {}
    try:
        for at in range(0, len(tests), 60):
            some = tests[at : at + 60]
            sources = [test.path.read_text() for test in some]
            for test, one in zip(some, using.run(sources), strict=True):
                found = difference(one, None)  # CPython's output does not matter
                if found is not None and found.mode not in ("cpython", "does not compile"):
                    wrong[test.name] = found.detail
    finally:
        using.close()
    assert not wrong
