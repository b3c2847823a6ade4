"""`porter bench` as a user runs it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from porter.base import process
from porter.cli import execute
from porter.pipeline import Build


def stand_in(folder: Path) -> Path:
    """What is used like upstream's unix port, without building it: CPython."""
    script = folder / "upstream"
    script.write_text(
        f'#!/bin/sh\n[ "$1" = -c ] && exec echo micropython\nshift 2\nexec {sys.executable} "$@"\n'
    )
    script.chmod(0o755)
    return script


def test_measures_and_writes_json(
    built: Build, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures.json"
    arguments = ["--build", str(built.folder), "--target", "host", "--only", "integers"]
    arguments += ["--repeat", "2", "-n", "70", "--json", str(file)]
    assert execute(["bench", *arguments, "--reference", str(stand_in(tmp_path))]) == 0
    shown = capfd.readouterr()
    assert "integers-module" in shown.out
    assert "70 interpreters" in shown.out
    assert "micropython: upstream" in shown.out
    document = json.loads(file.read_text())
    assert document["about"]["n"] == 70
    assert set(document["programs"]) == {"integers-module", "integers-function"}
    entry = document["programs"]["integers-module"]
    assert set(entry["references"]) == {"c", "cpython", "cpython-all", "micropython"}
    assert entry["times_c"] == pytest.approx(
        entry["phases"]["execute"]["median"] / entry["references"]["c"]["figure"]["median"]
    )
    assert entry["phases"]["execute"]["runs"] == 2


def test_costs_beside_programs(
    built: Build, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures.json"
    arguments = ["--build", str(built.folder), "--target", "host", "--repeat", "2", "-n", "20"]
    only = [
        "--only",
        "start",
        "--only",
        "fork",
        "--only",
        "compile",
        "--only",
        "repl",
        "--only",
        "memory",
    ]
    assert execute(["bench", *arguments, *only, "--json", str(file)]) == 0
    assert "REPL: threadIdx % 3" in capfd.readouterr().out
    document = json.loads(file.read_text())
    assert document["about"]["references"] == {}
    costs = document["costs"]
    assert set(costs) == {"start", "fork", "compile", "repl"}
    assert all(0 < cost["device"]["least"] <= cost["whole"]["most"] for cost in costs.values())
    config = built.folder / "build.json"
    heap = json.loads(config.read_text())["inputs"]["config"]["heap"]
    assert heap < document["memory"]["image"] < 4 * heap


def test_needs_no_more_than_a_machine_with_a_gpu_has(built: Build, tmp_path: Path) -> None:
    """Neither compilers' bindings nor templates, which only building and drawing need."""
    missing = ("clang", "ninja", "pycparser", "jinja2", "platformdirs")
    arguments = ["bench", "--build", str(built.folder), "--target", "host", "--repeat", "1"]
    arguments += ["--only", "integers", "--only", "repl", "--reference", str(stand_in(tmp_path))]
    program = f"import sys; sys.modules |= dict.fromkeys({missing!r})\n"
    program += f"from porter.cli import execute; sys.exit(execute({arguments!r}))"
    done = process.run([sys.executable, "-c", program], timeout=120, check=False)
    assert done.returncode == 0, done.output
    assert "REPL" in done.stdout


def test_an_unknown_program_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    assert execute(["bench", "--only", "nothing"]) == 2
    assert "there is no such program" in capfd.readouterr().err


def test_a_heap_that_is_too_small_is_said(built: Build, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["--build", str(built.folder), "--target", "host", "--only", "strings"]
    assert execute(["bench", *arguments, "--heap", "2K", "--no-references"]) == 54
    assert "MemoryError" in capfd.readouterr().err


def test_lists_its_programs(capfd: pytest.CaptureFixture[str]) -> None:
    assert execute(["bench", "--list", "--only", "que"]) == 0
    assert capfd.readouterr().out.startswith("queens ")


def test_another_reference_is_refused(built: Build, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["--build", str(built.folder), "--target", "host", "--reference", "/bin/true"]
    assert execute(["bench", *arguments]) == 2
    assert "not upstream's unix port" in capfd.readouterr().err
