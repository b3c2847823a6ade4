"""keep="stderr" and keep="exit_codes": what programs write to stderr, and how they exit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from porter import evaluate
from porter.cli.evaluate import command
from porter.evaluation import CaseStatus

if TYPE_CHECKING:
    from porter.pipeline import Build

SOURCES = [
    "import sys\nsys.stderr.write('e')\nsys.exit(3)",
    "raise SystemExit",
    "print(1)",
    "1 / 0",
    "import sys\nsys.stderr.write('\\xe4' * 9000)",
]
KEEP = ("stderr", "exit_codes")


def test_whole_programs(built: Build) -> None:
    found = evaluate(SOURCES, [{"stdin": ""}], keep=KEEP, build=built.folder, target="host")
    assert found.exit_codes == [[3], [0], [None], [None], [None]]
    assert found.stderr is not None and found.outputs is None
    texts = [row[0].decode() for row in found.stderr]
    assert texts[:3] == ["e", "", ""] and texts[3].endswith("ZeroDivisionError: division by zero\n")
    assert texts[4] == "\xe4" * 8192  # as many bytes as stdout may have
    exited = [CaseStatus.EXITED, CaseStatus.EXITED, CaseStatus.PASSED]
    assert found.status[:3, 0].tolist() == exited


def test_an_expected_output_and_code_0(built: Build) -> None:
    cases = [{"stdin": "", "stdout": "1\n"}]
    program = ["print(1)\nraise SystemExit(0)"]
    found = evaluate(program, cases, keep=KEEP, build=built.folder, target="host")
    assert found.exit_codes == [[0]] and found.passed.all()


def test_calls_have_no_exit_code(built: Build) -> None:
    program = ["import sys\ndef solve(x):\n sys.stderr.write(str(x))\n raise SystemExit(x)"]
    cases = [((k,), 0) for k in range(40)]
    found = evaluate(program, cases, keep=KEEP, build=built.folder, target="host")
    assert found.exit_codes == [[None] * 40]
    assert found.stderr == [[str(k).encode() for k in range(40)]]


def test_columns_of_files(built: Build, tmp_path: Path) -> None:
    lines = [json.dumps({"source": one, "cases": [{"stdin": ""}]}) for one in SOURCES[:3]]
    (tmp_path / "programs.jsonl").write_text("\n".join(lines))
    for suffix in ("jsonl", "parquet"):
        out = tmp_path / f"rows.{suffix}"
        arguments = [
            str(tmp_path / "programs.jsonl"), "--out", str(out), "--keep", "stderr",
            "--keep", "exit_codes", "--build", str(built.folder), "--target", "host",
        ]  # fmt: skip
        done = CliRunner().invoke(command, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [(one["stderr"], one["exit_code"]) for one in rows] == [("e", 3), ("", 0), ("", None)]
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(tmp_path / "rows.parquet").to_pydict()
    assert table["exit_code"] == [3, 0, None] and table["stderr"] == ["e", "", ""]
