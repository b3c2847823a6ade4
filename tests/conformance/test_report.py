"""JSON, JUnit XML and the table."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

from rich.console import Console

from porter.conformance.conformance_report import Report, show, write_json
from porter.conformance.records import ReportedTest, Verdict

RESULTS = [
    ReportedTest("basics/a.py", Verdict.PASS, seconds=0.5, cases=2),
    ReportedTest("basics/b.py", Verdict.FAIL, "line 1", expected=b"1\n", actual=b"\x00\xff<&\n"),
    ReportedTest("io/c.py", Verdict.SKIP, "needs a 'file' & more"),
    ReportedTest("io/d.py", Verdict.UNEXPECTED_PASS, "passes"),
]
REPORT = Report(RESULTS, "1.26.1", "host", 1.25)


def test_junit_counts_and_is_well_formed() -> None:
    root = ElementTree.fromstring(REPORT.junit())
    suites = {suite.get("name"): suite for suite in root}
    assert (suites["basics"].get("tests"), suites["basics"].get("failures")) == ("2", "1")
    assert (suites["io"].get("skipped"), suites["io"].get("failures")) == ("1", "1")
    failure = suites["basics"].find("testcase[@name='b.py']/failure")
    assert failure is not None and failure.text is not None
    assert "\\xff<&" in failure.text and "\x00" not in failure.text
    skipped = suites["io"].find("testcase[@name='c.py']/skipped")
    assert skipped is not None and skipped.get("message") == "needs a 'file' & more"


def test_json_holds_outputs_of_failures_only(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "report.json"
    write_json(REPORT, path)
    data = json.loads(path.read_text())
    assert data["counts"] == {
        "pass": 1,
        "fail": 1,
        "skip": 1,
        "unlisted-skip": 0,
        "unexpected-pass": 1,
    }
    by_name = {entry["test"]: entry for entry in data["results"]}
    assert by_name["basics/b.py"]["actual"] == "\x00\\xff<&\n"
    assert "actual" not in by_name["basics/a.py"]
    assert [path.name for path in path.parent.iterdir()] == ["report.json"]


def test_the_table_sums_and_names_the_bad() -> None:
    console = Console(record=True, width=120)
    show(REPORT, console)
    text = console.export_text()
    assert "basics/b.py: line 1" in text
    assert "io/d.py: passes" in text
    assert "io/c.py" not in text
    last = [line for line in text.splitlines() if "all" in line][-1]
    assert last.replace("│", " ").split() == ["all", "1", "1", "1", "1", "4"]
