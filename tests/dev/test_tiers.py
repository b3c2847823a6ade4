"""The pytest plugin of the test tiers, run on suites of a few tests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from porter_dev.tables import ROOT
from porter_dev.tiers import AllowedSkip, Shares, allowed_skips, by_folder, shares, unexpected

SUITE = """
import time
import pytest

def test_default(): pass

@pytest.mark.campaign("documents")
def test_long(): pass

@pytest.mark.skip(reason="the moon is full")
def test_skipped(): pass

@pytest.mark.xfail(reason="a known defect")
def test_expected_failure(): assert False

@pytest.mark.parametrize("n", [1, pytest.param(10**6, marks=pytest.mark.campaign("documents"))])
def test_sizes(n): pass
"""


def suite(folder: Path, *options: str, text: str = SUITE) -> subprocess.CompletedProcess[str]:
    """Run pytest with the plugin on one test file, without the configuration of this checkout."""
    tests = folder / "tests" / "some"
    tests.mkdir(parents=True, exist_ok=True)
    (tests / "test_some.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = campaign: a campaign\n")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "porter_dev.tiers", *options]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin", "PORTER_HOME": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def passed(done: subprocess.CompletedProcess[str]) -> set[str]:
    lines = [line for line in done.stdout.splitlines() if line.startswith("PASSED")]
    return {line.split("::")[1] for line in lines}


def test_the_default_tier(tmp_path: Path) -> None:
    done = suite(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert passed(done) == {"test_default", "test_sizes[1]"}
    assert "2 deselected" in done.stdout


@pytest.mark.parametrize("name", ["documents", "all"])
def test_a_campaign(tmp_path: Path, name: str) -> None:
    assert passed(suite(tmp_path, "--campaign", name)) == {"test_long", "test_sizes[1000000]"}


def test_a_test_that_is_named_runs(tmp_path: Path) -> None:
    done = suite(tmp_path, "tests/some/test_some.py::test_long")
    assert passed(done) == {"test_long"}


def test_a_campaign_that_is_no_row(tmp_path: Path) -> None:
    done = suite(tmp_path, "--campaign", "documnets")
    assert done.returncode == 4 and "documents" in done.stderr
    assert "--campaign documnets: there is no such row" in done.stderr
    done = suite(tmp_path, text=SUITE.replace('campaign("documents")', 'campaign("typo")'))
    assert done.returncode != 0 and "no campaign is named typo" in done.stdout + done.stderr


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_a_skip_that_is_not_allowed(tmp_path: Path, workers: list[str]) -> None:
    assert suite(tmp_path, *workers).returncode == 0
    done = suite(tmp_path, "--strict-skips", *workers)
    assert done.returncode == 1
    assert "test_skipped was skipped (the moon is full)" in done.stdout
    assert "a known defect" not in done.stdout.split("test tiers")[1].split("\n==")[0]


def test_a_module_that_is_skipped_counts(tmp_path: Path) -> None:
    text = 'import pytest\npytest.importorskip("no_such_module_here")\n\ndef test_x(): pass\n'
    done = suite(tmp_path, "--strict-skips", text=text)
    assert "could not import 'no_such_module_here'" in done.stdout
    assert "tiers.toml does not allow that" in done.stdout


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_a_test_above_its_share(tmp_path: Path, workers: list[str]) -> None:
    text = "import time\ndef test_quick(): pass\ndef test_slow(): time.sleep(1.5)\n"
    path = tmp_path / "out" / "durations.json"
    done = suite(tmp_path, "--check-shares", "--durations-to", str(path), *workers, text=text)
    assert done.returncode == 1
    assert "test_slow takes" in done.stdout and "of the tier's time" in done.stdout
    assert "test_quick takes" not in done.stdout
    seconds = json.loads(path.read_text())
    assert {test.split("::")[1] for test in seconds} == {"test_quick", "test_slow"}
    assert 0.3 <= max(seconds.values()) < 10


def test_a_test_that_rewrites_a_shared_build(tmp_path: Path) -> None:
    library = tmp_path / "build" / "1.2.3-0" / "host" / "libgpusnek.so"
    library.parent.mkdir(parents=True)
    library.write_text("whole")
    text = f"def test_x(): open({str(library)!r}, 'a').write('more')\n"
    done = suite(tmp_path, text=text)
    assert done.returncode == 1
    assert f"{library}: a test rewrote this artifact" in done.stdout


def test_the_order_of_folders(tmp_path: Path) -> None:
    for name in ("later", "laterals"):
        (tmp_path / "tests" / name).mkdir(parents=True)
        (tmp_path / "tests" / name / f"test_{name}.py").write_text("def test_x(): pass\n")

    def order(*options: str) -> list[str]:
        """Return the folders in the order of their first tests."""
        done = suite(tmp_path, "--collect-only", *options)
        ids = [line for line in done.stdout.splitlines() if "::" in line]
        return list(dict.fromkeys(line.split("/")[1] for line in ids))

    assert order() == ["later", "laterals", "some"]
    assert order("--first", "tests/some") == ["some", "later", "laterals"]
    assert order("--first", "tests/laterals/") == ["laterals", "later", "some"]
    both = ["--first", "tests/some/test_some.py", "--first", "tests/later"]
    assert order(*both) == ["some", "later", "laterals"]
    # "tests/late" is no folder, only the start of two names.
    assert order("--first", "tests/late") == ["later", "laterals", "some"]
    assert order("--first", "tests/late", "--first", "tests/some")[0] == "some"


def test_an_entry_covers_by_test_and_by_reason() -> None:
    entry = AllowedSkip("tests/gpu/*", "PORTER_GPU_BUILD", "CI has no GPU.")
    skips = [
        ("tests/gpu/test_a.py::test_b[x]", "PORTER_GPU_BUILD names no device build"),
        ("tests/gpu/test_a.py::test_c", "something else"),
        ("tests/run/test_a.py::test_b", "PORTER_GPU_BUILD names no device build"),
    ]
    assert unexpected(skips, [entry]) == skips[1:]


def test_shares_by_folder() -> None:
    seconds = {f"tests/a/test_{k}.py::test": 1.0 for k in range(90)}
    seconds |= {f"tests/b/sub/test_{k}.py::test": 1.0 for k in range(10)}
    assert by_folder(seconds) == {"a": 90.0, "b": 10.0}
    assert Shares(0.02, 0.2, {"a": 0.95}).exceeded(seconds) == []
    (message,) = Shares(0.02, 0.2).exceeded(seconds)
    assert message == "tests/a takes 90.0% of the tier's time; the limit is 20.0%"
    assert len(Shares(0.005, 0.95).exceeded(seconds)) == 100


def test_the_table_is_current() -> None:
    assert 0 < shares().test <= 0.02
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    assert set(shares().folders) <= folders
    for entry in allowed_skips():
        assert entry.why.endswith(".")
        fixed = entry.tests.split("*")[0].split("::")[0]
        assert (ROOT / fixed).exists() or list(ROOT.glob(f"{fixed}*")), entry.tests
