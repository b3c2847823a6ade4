"""Progress of commands: a live line on a terminal, plain lines elsewhere, stdout unchanged."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from porter import cli

pexpect = pytest.importorskip("pexpect")

WORK = """
import sys, time
from porter.cli._progress import show_progress
with show_progress({options}) as progress:
    progress.now("over at once")
    progress.{how}("long work")
    for i in range(20):
        progress.step(i, 20)
        time.sleep(0.1)
print("result")
"""


def on_terminal(options: str, how: str) -> str:
    code = WORK.format(options=options, how=how)
    child = pexpect.spawn(sys.executable, ["-c", code], encoding="utf-8", timeout=60)
    child.expect(pexpect.EOF)
    return str(child.before)


def piped(options: str, how: str) -> subprocess.CompletedProcess[str]:
    code = WORK.format(options=options, how=how)
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)


def test_on_a_terminal_a_line_moves() -> None:
    shown = on_terminal("", "say")
    assert "porter: long work" in shown and "over at once" not in shown
    assert len(set(re.findall(r"long work: (\d+) of 20", shown))) > 2
    assert shown.rstrip().endswith("result")


@pytest.mark.parametrize("options", ["", "only_moving=True"])
def test_what_lasts_appears_without_a_line_of_its_own(options: str) -> None:
    shown = on_terminal(options, "now")
    assert "long work: 15 of 20" in shown and "porter:" not in shown


def test_elsewhere_there_are_plain_lines() -> None:
    done = piped("", "say")
    assert done.stdout == "result\n"
    first, *others = done.stderr.splitlines()
    assert first == "porter: long work"
    assert all(re.fullmatch(r"porter: long work: \d+ of 20, \d+ s", line) for line in others)


@pytest.mark.parametrize("options", ["quiet=True", "only_moving=True"])
def test_nothing_where_nothing_is_wanted(options: str) -> None:
    done = piped(options, "say")
    assert (done.stdout, done.stderr) == ("result\n", "")


def test_no_command_shows_progress_otherwise() -> None:
    """All commands report progress in one way: rich's own displays are used in one module of
    porter/cli.
    """
    folder = Path(cli.__file__).parent
    others = []
    for path in [*folder.glob("*.py"), *folder.parent.rglob("progress.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = getattr(node, "module", "") or ""
            on_console = (
                isinstance(node, ast.Attribute)
                and node.attr == "status"
                and ast.unparse(node.value) in ("console", "err", "out", "errors")
            )
            if on_console or module.startswith(("rich.progress", "rich.status", "rich.live")):
                others.append(path.name)
    assert set(others) == {"_progress.py"}


def test_quiet_sync_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from porter.cli import sync

    def slow(*args: object, say, **others: object) -> None:
        say("from somewhere")
        raise KeyboardInterrupt

    monkeypatch.setattr(sync, "sync", slow)
    assert cli.execute(["sync", "--quiet"]) != 0
    said = capsys.readouterr()
    assert said.out == "" and "from somewhere" not in said.err
    assert cli.execute(["sync"]) != 0
    said = capsys.readouterr()
    assert said.out == "" and "from somewhere\n" in said.err
