"""The campaign table, its schedule and its runner."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner

from porter_dev import campaigns as module
from porter_dev.campaigns import (
    Campaign,
    campaigns,
    changed_paths,
    merge_base,
    rotation,
    run_campaign,
    run_rows,
    schedule,
)
from porter_dev.tables import ROOT, TableProblem, rows

ROW = Campaign("one", "Nothing.", ("porter/run/", "bootstrap.py"), 60, "true")


def row(name: str, seconds: int = 60, **changes: Any) -> Campaign:
    return evolve(ROW, name=name, seconds=seconds, **changes)


def test_every_row_is_complete() -> None:
    assert len(campaigns()) > 10
    for one in campaigns():
        assert one.proves.endswith(".") and one.seconds > 0, one.name
        assert one.guards, one.name
        for path in one.guards:
            assert (ROOT / path).exists(), f"{one.name} guards {path}"
            assert (ROOT / path).is_dir() == path.endswith("/"), path


def test_every_row_without_a_command_has_tests_or_blocks() -> None:
    files = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "docs").rglob("*.md")]
    text = "".join(path.read_text("utf-8") for path in files)
    for one in campaigns():
        marks = (f'mark.campaign("{one.name}")', f"<!-- campaign: {one.name} -->")
        assert one.command or any(mark in text for mark in marks), one.name


def test_every_source_folder_has_a_guard() -> None:
    parts = [path for path in (ROOT / "porter").iterdir() if (path / "__init__.py").is_file()]
    guarded = [path for one in campaigns() for path in one.guards]
    for part in (*parts, ROOT / "templates" / "port", ROOT / "templates" / "runtime"):
        path = part.relative_to(ROOT).as_posix() + "/"
        assert any(path.startswith(guard) or guard.startswith(path) for guard in guarded), path


def test_guards_cover_files_and_folders() -> None:
    assert ROW.guards_any(["porter/run/launch/plan.py"])
    assert ROW.guards_any(["x", "bootstrap.py"])
    assert not ROW.guards_any(["porter/runner.py", "bootstrap.py.bak", "tests/porter/run/x.py"])
    assert not ROW.guards_any([])


def test_a_week_covers_all() -> None:
    every = [row(f"c{k}", seconds=40 + 97 * k % 500) for k in range(23)]
    for day in (0, 5, 12345):
        ordered = rotation(every, day)
        assert sorted(one.name for one in ordered) == sorted(one.name for one in every)
    # With a seventh of the time a day, plus one row, every row has its turn within a week.
    daily = sum(one.seconds for one in every) / 7 + max(one.seconds for one in every)
    ran: set[str] = set()
    for day in range(7):
        left = daily
        for one in rotation(every, day):
            if one.seconds <= left:
                left -= one.seconds
                ran.add(one.name)
    assert ran == {one.name for one in every}


def test_guards_of_changed_files_come_first() -> None:
    every = [row(f"c{k}", guards=("porter/fs/",)) for k in range(9)]
    every += [row("guarding", guards=("porter/run/",)), row("nightly", nightly_only=True)]
    ordered = schedule(every, ["porter/run/status.py"], day=3)
    assert ordered[0].name == "guarding"
    assert [one.name for one in ordered[1:]] == [
        one.name for one in rotation(every, 3) if one.name not in ("guarding", "nightly")
    ]


def test_the_merge_base(tmp_path: Path) -> None:
    def git(folder: Path, *words: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "init.defaultBranch=main"]
        done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, check=True)
        return done.stdout.decode().strip()

    upstream, clone = tmp_path / "upstream", tmp_path / "clone"
    upstream.mkdir()
    git(upstream, "init", "-q")
    for name in ("a", "b"):
        (upstream / name).write_text(name)
        git(upstream, "add", ".")
        git(upstream, "commit", "-q", "-m", name, "--date", "2020-01-01T00:00:00")
    first, head = git(upstream, "rev-list", "HEAD").split()[::-1]
    git(tmp_path, "clone", "-q", str(upstream), str(clone))
    # On the default branch without a commit that is a day old: everything since the root.
    assert merge_base(clone) == first and changed_paths(clone) == ["b"]
    git(clone, "checkout", "-q", "-b", "topic")
    (clone / "c d").write_text("c")
    git(clone, "add", ".")
    git(clone, "commit", "-q", "-m", "c")
    assert merge_base(clone) == head and changed_paths(clone) == ["c d"]
    assert changed_paths(tmp_path) == []


def test_a_campaign_runs_with_its_log(tmp_path: Path) -> None:
    command = 'echo out; echo err >&2; test -f here; python -c "import sys; print(sys.executable)"'
    (tmp_path / "here").touch()
    outcome = run_campaign(row("x", command=command), tmp_path / "logs", tmp_path)
    assert outcome.passed and outcome.detail == ""
    printed = (tmp_path / "logs" / "x.log").read_text().split("\n")
    assert printed[:2] == ["out", "err"]
    assert Path(printed[2]).parent == Path(sys.executable).parent
    outcome = run_campaign(row("y", command="false | true; exit 0"), tmp_path, tmp_path)
    assert not outcome.passed and outcome.detail == "exit code 1"


def _runs(process: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    try:
        return "zombie" not in Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_campaign_that_hangs_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST_LIMIT", 1.0)
    hanging = row("x", seconds=0, command="sleep 600 & echo $!; wait")
    outcome = run_campaign(hanging, tmp_path, tmp_path)
    assert not outcome.passed and outcome.detail == "stopped after 1 s"
    child = int((tmp_path / "x.log").read_text())
    # The kernel ends the child shortly after the signal, and the test is not its parent.
    deadline = time.monotonic() + 20
    while _runs(child):
        assert time.monotonic() < deadline, f"process {child} still runs"
        time.sleep(0.01)


def test_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "LOGS", tmp_path)
    some = [row("long", 500), row("short", 1), row("wrong", 1, command="echo why; exit 3")]
    outcomes = run_rows(some, time.monotonic() + 100)
    assert [(one.name, one.passed) for one in outcomes] == [("short", True), ("wrong", False)]
    printed = capsys.readouterr().out
    assert "campaigns that did not run: long" in printed
    assert "campaign wrong: FAILED (exit code 3)" in printed and "    why" in printed


def test_a_row_that_lacks_a_program_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "LOGS", tmp_path)
    (outcome,) = run_rows([row("x", needs=("no-such-program",))])
    assert not outcome.passed and outcome.detail == "lacks no-such-program"


def test_commands() -> None:
    runner = CliRunner()
    listed = runner.invoke(module.group, ["list"])
    assert listed.exit_code == 0
    assert all(one.name in listed.output for one in campaigns())
    wrong = runner.invoke(module.group, ["run", "nothing-of-the-kind"])
    assert wrong.exit_code == 2 and "no campaign is named nothing-of-the-kind" in wrong.output
    assert runner.invoke(module.group, ["run"]).exit_code == 2
    planned = runner.invoke(module.group, ["ci", "--seconds", "1", "--day", "3", "--dry-run"])
    assert planned.exit_code == 0 and campaigns()[0].name in planned.output


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[campaign]\n", "Expected"),
        ('[[campaign]]\nname = "x"\n', "campaign 1"),
        (
            '[[campaign]]\nname="x"\nproves="."\nguards=["a"]\nseconds=1\ncolour="red"\n',
            "colour",
        ),
        ('[[campaign]]\nname="x"\nproves="."\nguards=["a"]\nseconds="soon"\n', "seconds"),
    ],
)
def test_a_malformed_table_is_named(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "campaigns.toml"
    path.write_text(text)
    with pytest.raises(TableProblem, match=str(path)) as caught:
        rows(path, "campaign", Campaign)
    assert says in str(caught.value)
