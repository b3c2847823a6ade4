"""`porter bench` as users run it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from porter.base import process
from porter.cli import execute
from porter.pipeline import Build


def stand_in(folder: Path) -> Path:
    """Return a fake of upstream's unix port: CPython, used in the same way."""
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
    pythons = {"cpython", "cpython-all", "micropython", "micropython-all"}
    assert set(entry["references"]) == {"c", *pythons}
    assert entry["times_c"] == pytest.approx(
        entry["phases"]["execute"]["median"] / entry["references"]["c"]["figure"]["median"]
    )
    assert entry["phases"]["execute"]["runs"] == 2
    assert entry["own_over_equal"] == pytest.approx(
        entry["phases"]["execute"]["median"] / entry["equal"]["median"]
    )
    assert entry["lanes"] is None


def test_lanes_stand_beside_programs(
    built: Build, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    counted, file = tmp_path / "lanes.json", tmp_path / "figures.json"
    counted.write_text('{"integers-module": 31.25, "of another suite": 2}')
    arguments = ["--build", str(built.folder), "--target", "host", "--only", "integers"]
    arguments += ["--repeat", "1", "-n", "4", "--no-references", "--json", str(file)]
    assert execute(["bench", *arguments, "--lanes", str(counted)]) == 0
    assert " 31.2" in capfd.readouterr().out
    programs = json.loads(file.read_text())["programs"]
    assert programs["integers-module"]["lanes"] == 31.25
    assert programs["integers-function"]["lanes"] is None


@pytest.mark.parametrize("text", ["", "{}x", '{"queens": "many"}', '{"queens": 33}', "Kernel Name"])
def test_a_bad_file_of_lanes_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], text: str
) -> None:
    counted = tmp_path / "lanes"
    counted.write_text(text)
    for file in (counted, tmp_path / "missing"):
        assert execute(["bench", "--only", "queens", "--lanes", str(file)]) == 2
        shown = capfd.readouterr().err
        assert str(file) in shown.replace("\n", "")
        assert "Traceback" not in shown


def test_generated_programs(
    built: Build, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures.json"
    arguments = ["--build", str(built.folder), "--target", "host", "--only", "candidates"]
    arguments += ["--repeat", "1", "-n", "40", "--json", str(file)]
    assert execute(["bench", *arguments, "--reference", str(stand_in(tmp_path))]) == 0
    assert "ordered by program" in capfd.readouterr().out
    entry = json.loads(file.read_text())["candidates"]
    assert entry["programs"] == 40
    assert entry["faster_than"]["mixed"]["cpython-all"] == pytest.approx(
        entry["references"]["cpython-all"]["figure"]["median"]
        / entry["mixed"]["end_to_end"]["median"]
    )
    assert set(entry["references"]) == set(entry["faster_than"]["ordered"])


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
    """Compilers' bindings and templates are not needed; only building and drawing use them."""
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
