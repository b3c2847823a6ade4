"""`porter evaluate`: files in, a table of rows out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from porter import cli
from porter.errors import FileProblem
from porter.evaluation.data_files import REASONS, SUFFIXES, count_programs, read_programs, writing

from .conftest import Porter

if TYPE_CHECKING:
    from porter.pipeline import Build

SQUARE = "def solve(x):\n    print('hello')\n    return x * x\n"
PROGRAMS = [{"id": "good", "source": SQUARE}, "def solve(x): return 1", {"source": "def solve(:"}]
CASES: list[Any] = [[[1], 1], {"args": [], "kwargs": {"x": 3}, "expected": 9}]


def lines(path: Path, values: list[Any]) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return lines(tmp_path / "programs.jsonl", PROGRAMS), lines(tmp_path / "cases.jsonl", CASES)


def test_rows(porter: Porter, built: Build, files: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    keep = ("--keep", "outputs", "--keep", "values", "--keep", "tracebacks")
    done = porter("evaluate", *files, "--out", out, *keep, "--batch", "2", "--build", built.folder)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "3 programs, 6 calls, 1 solved", "         3 PASSED", "         1 WRONG",
        "         2 SYNTAX_ERROR",
    ]  # fmt: skip
    found = rows(out)
    assert [(row["program"], row["case"], row["passed"]) for row in found] == [
        ("good", 0, True), ("good", 1, True), ("1", 0, True), ("1", 1, False),
        ("2", 0, False), ("2", 1, False),
    ]  # fmt: skip
    assert found[1]["value"] == "9" and found[1]["output"] == "hello\n" and found[1]["steps"] > 0
    assert found[3]["status"] == "WRONG" and found[3]["traceback"] is None
    assert found[5]["status"] == "SYNTAX_ERROR" and "SyntaxError" in found[5]["traceback"]


def test_a_folder_and_programs_with_cases(porter: Porter, built: Build, tmp_path: Path) -> None:
    folder = tmp_path / "candidates"
    (folder / "more").mkdir(parents=True)
    (folder / "b.py").write_text(SQUARE)
    (folder / "more" / "a.py").write_bytes(b"\xff\xfe")
    cases = lines(tmp_path / "cases.jsonl", CASES)
    out = tmp_path / "out.jsonl"
    done = porter("evaluate", folder, cases, "--out", out, "--build", built.folder)
    assert (
        done.code == 0 and [row["program"] for row in rows(out)] == ["b.py"] * 2 + ["more/a.py"] * 2
    )
    assert "output" not in rows(out)[0]
    own = [{"source": SQUARE, "cases": CASES}, {"source": SQUARE, "cases": CASES[:1]}]
    done = porter("evaluate", lines(tmp_path / "own.jsonl", own), "--build", built.folder)
    assert done.code == 0 and done.out.startswith("2 programs, 3 calls, 2 solved\n")


def test_folders_are_no_programs(tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    for name in ("b.py", "folder.py/a.py", "c.txt"):
        (tmp_path / name).write_text("")
    names = [program.name for program in read_programs(tmp_path)]
    assert names == ["b.py", "folder.py/a.py"] and count_programs(tmp_path) == 2


def test_parquet(built: Build, files: tuple[Path, Path], tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "out.parquet"
    options = ("--out", out, "--keep", "values", "--batch", "1", "--build", built.folder)
    assert cli.execute(["evaluate", *map(str, (*files, *options))]) == 0
    table = parquet.read_table(out).to_pydict()
    assert table["program"] == ["good", "good", "1", "1", "2", "2"]
    assert table["passed"] == [True, True, True, False, False, False]
    assert table["value"] == ["1", "9", "1", "1", None, None]
    assert table["status"][4:] == ["SYNTAX_ERROR"] * 2


WITHOUT = "import sys; sys.modules['pyarrow'] = None; from porter.__main__ import main; main()"


def test_parquet_needs_pyarrow_before_anything_is_opened(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "out.parquet"
    command: list[str | Path] = [sys.executable, "-c", WITHOUT, "evaluate", *files, "--out", out]
    done = subprocess.run([*command, "--build", "/nowhere"], capture_output=True, text=True)
    assert done.returncode == 16 and "pip install 'gpusnek-porter[parquet]'" in done.stderr
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_bad_path_is_said_before_anything_is_opened(
    files: tuple[Path, Path], tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    (tmp_path / "sealed").mkdir(mode=0o555)
    (tmp_path / f"folder{suffix}").mkdir()
    bad = {
        tmp_path / "none" / f"out{suffix}": "No such file or directory",
        files[0] / f"out{suffix}": "Not a directory",
        tmp_path / ("n" * 250 + suffix): "File name too long",
    }
    if os.geteuid():  # root may write everywhere
        bad[tmp_path / "sealed" / f"out{suffix}"] = "Permission denied"
    for out, why in bad.items():
        command = ["evaluate", *map(str, files), "--out", str(out), "--build", "/nowhere"]
        assert cli.execute(command) == 6
        assert capsys.readouterr() == ("", f"porter: error: {out}: {why}\n")
    command[4] = str(tmp_path / f"folder{suffix}")
    assert cli.execute(command) == 2 and "is a directory" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_full_disk_is_a_problem_of_the_file_and_others_are_not(
    tmp_path: Path, suffix: str
) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    out = tmp_path / f"out{suffix}"
    out.write_text("old")
    rows: dict[str, list[Any]] = {"program": ["a"], "case": [0], "passed": [True]}
    rows |= {"status": ["PASSED"], "steps": [1], **{name: [None] for name in REASONS}}
    with pytest.raises(ConnectionError, match="lost"), writing(out, frozenset()) as writer:
        raise ConnectionError("lost")
    with pytest.raises(FileProblem, match="No space left"), writing(out, frozenset()) as writer:
        opened: Any = writer
        opened._file.flush()
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, opened._file.fileno())
        os.close(full)
        for _ in range(20_000 if suffix == ".jsonl" else 1):
            writer.add(rows)
    assert out.read_text() == "old" and list(tmp_path.iterdir()) == [out]


BAD: dict[str, tuple[str, str, tuple[str, ...], int, str]] = {
    "not JSON": ("x\n", "[[1], 1]\n", (), 2, "programs.jsonl:1: this line is not JSON"),
    "no program": ('\n{"id": 1}\n', "[[1], 1]\n", (), 2, "programs.jsonl:2: there is no program"),
    "a number": ("3\n", "[[1], 1]\n", (), 2, "programs.jsonl:1: there is no program"),
    "a key": ('{"source": "", "x": 1}\n', "[[1], 1]\n", (), 2, "'x' is not one of source, id"),
    "cases are no list": ('{"source": "", "cases": 3}\n', "[[1], 1]\n", (), 2, "cases are a list"),
    "no cases": ('""\n', "", (), 2, "cases.jsonl: there is no case"),
    "cases": ('""\n', "3\n", (), 47, "cases.jsonl[0]: int is not a case"),
    "two kinds": (
        '{"source": "", "cases": [[[1], 1]]}\n',
        "[[1], 1]\n",
        (),
        2,
        "has its own cases",
    ),
    "entry": ('""\n', "[[1], 1]\n", ("--entry", "1a"), 2, "not a Python identifier"),
    "suffix": ('""\n', "[[1], 1]\n", ("--out", "out.csv"), 2, "written as .jsonl or .parquet"),
    "unwritable": ('""\n', "[[1], 1]\n", ("--out", "none/out.jsonl"), 6, "No such file"),
    "clock": ('""\n', "[[1], 1]\n", ("--clock", "now"), 2, "--clock: 'now' is neither"),
    "machine's clock": ('""\n', "[[1], 1]\n", ("--clock", "machine"), 2, "Give a deadline"),
    "steps": ('""\n', "[[1], 1]\n", ("--max-steps", "0"), 2, "--max-steps: 0 is not from 1"),
    "tolerance": ('""\n', "[[1], 1]\n", ("--tolerance", "-1"), 2, "-1.0 is not a number from 0"),
    "build": ('""\n', "[[1], 1]\n", ("--build", "/nowhere"), 31, "/nowhere"),
}


@pytest.mark.parametrize("name", BAD)
def test_refused(
    built: Build, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    programs, cases, options, code, message = BAD[name]
    (tmp_path / "programs.jsonl").write_text(programs)
    (tmp_path / "cases.jsonl").write_text(cases)
    build = () if "--build" in options else ("--build", built.folder)
    at = [tmp_path / "programs.jsonl", tmp_path / "cases.jsonl"]
    given = [tmp_path / o if o.startswith(("out", "none")) else o for o in options]
    found = cli.execute(["evaluate", *map(str, [*at, *given, *build])])
    printed = capsys.readouterr()
    assert (found, printed.out) == (code, ""), printed.err
    assert message in " ".join(printed.err.split())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cases.jsonl", "programs.jsonl"]


def test_programs_without_cases(porter: Porter, built: Build, files: tuple[Path, Path]) -> None:
    done = porter("evaluate", files[0], "--build", built.folder)
    assert done.code == 2 and "program good has no cases" in done.err


def test_lines_that_are_no_programs_leave_the_others(
    porter: Porter, built: Build, files: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("old\n")
    argv: tuple[Any, ...] = ("--out", out, "--batch", "1", "--build", built.folder)
    programs = lines(tmp_path / "some.jsonl", [3, SQUARE, 4, SQUARE])
    done = porter("evaluate", programs, files[1], *argv)
    assert done.code == 2 and "some.jsonl:1" in done.err and "some.jsonl:3" in done.err
    assert done.out.startswith("2 programs, 4 calls, 2 solved\n")
    assert [row["program"] for row in rows(out)] == ["1", "1", "3", "3"]


def test_what_failed_leaves_the_old_file(
    porter: Porter, built: Build, files: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("old\n")
    programs = lines(tmp_path / "some.jsonl", [3, 4])
    done = porter("evaluate", programs, files[1], "--out", out, "--build", built.folder)
    assert done.code == 2 and "some.jsonl:2" in done.err and out.read_text() == "old\n"
