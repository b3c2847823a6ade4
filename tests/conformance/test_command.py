"""`porter conformance`: options, exit codes, files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from porter.cli import execute

from .fakes import Release


@pytest.fixture
def home(release: Release, monkeypatch: pytest.MonkeyPatch) -> Release:
    """Return a porter home whose only release holds the tests of ``release``."""
    home = release.root.parent / "home"
    folder = home / "upstream" / "9.9.9"
    folder.mkdir(parents=True)
    release.root.rename(folder / "tests")
    monkeypatch.setenv("PORTER_HOME", str(home))
    return Release(folder / "tests")


def conformance(*args: str) -> int:
    """Return a function that runs the command on CPython and returns its exit code."""
    return execute(["conformance", "--release", "9.9.9", "--executable", sys.executable, *args])


def test_all_pass(home: Release, tmp_path: Path) -> None:
    home.add("basics/a.py", "print(1)\n", expected="1\n")
    home.add("io/b.py", "print(2)\n")
    junit, report = tmp_path / "junit.xml", tmp_path / "report.json"
    assert conformance("--junit", str(junit), "--json", str(report)) == 0
    assert [suite.get("name") for suite in ElementTree.parse(junit).getroot()] == ["basics", "io"]
    assert json.loads(report.read_text())["counts"]["pass"] == 2


def test_a_failure_is_51(home: Release, capsys: pytest.CaptureFixture[str]) -> None:
    home.add("basics/a.py", "print(1)\n", expected="2\n")
    assert conformance() == 51
    captured = capsys.readouterr()
    assert "basics/a.py: line 1: expected '2', got '1'" in captured.out
    assert "1 of 1 tests have a wrong outcome" in captured.err


def test_a_listed_test_that_passes_is_51(home: Release, tmp_path: Path) -> None:
    home.add("basics/a.py", "print(1)\n", expected="1\n")
    skips = tmp_path / "skips.toml"
    skips.write_text('[[skip]]\nreason = "never"\ntests = ["basics/a.py"]\n')
    assert conformance("--skips", str(skips)) == 51


def test_list_runs_nothing(home: Release, capsys: pytest.CaptureFixture[str]) -> None:
    home.add("basics/a.py", "raise SystemError\n")
    home.add("cmdline/b.py", expected="x\n")
    assert conformance("--list") == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.split() == ["basics/a.py", "cpython"]
    assert second.split()[:3] == ["cmdline/b.py", "exp", "skip:"]


def test_mistakes(home: Release) -> None:
    assert conformance("nowhere") == 2
    assert execute(["conformance", "--release", "0.0.1"]) == 3
    assert conformance("--target", "moon") == 2
