"""The one function that starts subprocesses."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from porter.base import process
from porter.base.process import run, tail
from porter.errors import ToolFailed, ToolMissing, ToolTimedOut


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_outputs_environment_folder_and_input(tmp_path: Path) -> None:
    code = "import os,sys; print(os.getcwd(), os.environ['A'], sys.stdin.read()); sys.exit(3)"
    done = run(python(code), cwd=tmp_path, env={"A": "b"}, input="hi", check=False)
    assert done.stdout == f"{tmp_path} b hi\n"
    assert done.returncode == 3
    assert done.seconds > 0


def test_stdin_is_empty_unless_given() -> None:
    assert run(python("import sys; print(repr(sys.stdin.read()))")).stdout == "''\n"


def test_output_that_is_not_text_does_not_raise() -> None:
    done = run(python("import sys; sys.stdout.buffer.write(b'a\\xffb')"))
    assert done.stdout == "a\ufffdb"


def test_failure_carries_command_status_and_tail() -> None:
    code = "import sys; [print('row', i) for i in range(100)]; sys.exit(9)"
    with pytest.raises(ToolFailed) as caught:
        run(python(code))
    error = caught.value
    assert error.returncode == 9
    assert error.argv[0] == sys.executable
    assert "failed with status 9" in str(error)
    assert "row 99" in str(error) and "row 50\n" not in str(error)
    assert "(60 lines left out)" in error.output


def test_signal_is_named() -> None:
    with pytest.raises(ToolFailed, match="ended by SIGKILL"):
        run(python("import os; os.kill(os.getpid(), 9)"))


def test_missing_tool() -> None:
    with pytest.raises(ToolMissing, match="no-such-tool: not found"):
        run(["no-such-tool", "x"])


def test_missing_folder_is_not_a_missing_tool(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="no folder"):
        run(python(""), cwd=tmp_path / "nowhere")


def test_timeout_stops_children_too(tmp_path: Path) -> None:
    # The grandchild holds the pipe: without stopping the group, run() would wait for it.
    code = (
        "import subprocess, sys, time; print('started', flush=True);"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(30)']); time.sleep(30)"
    )
    start = time.monotonic()
    with pytest.raises(ToolTimedOut, match=r"no end after 1 s") as caught:
        run(python(code), timeout=1)
    assert time.monotonic() - start < 10
    assert "started" in caught.value.output


def test_lines_come_while_it_runs() -> None:
    lines: list[str] = []
    code = "import sys; print('a'); print('b'); print('oops', file=sys.stderr); sys.exit(3)"
    done = run(python(code), line=lines.append, check=False)
    assert lines == ["a\n", "b\n"]
    assert (done.stdout, done.stderr, done.returncode) == ("a\nb\n", "oops\n", 3)
    with pytest.raises(ToolTimedOut) as caught:
        code = "import time; print('last', flush=True); time.sleep(30)"
        run(python(code), line=lines.append, timeout=2)
    assert "last" in caught.value.output


@pytest.mark.parametrize("deaf", [False, True])
def test_what_runs_too_long_is_asked_before_it_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deaf: bool
) -> None:
    monkeypatch.setattr(process, "GRACE", 0.5 if deaf else 30.0)
    handler = "signal.SIG_IGN" if deaf else "lambda *_: sys.exit(open('asked', 'w').close())"
    code = f"import signal, sys, time; signal.signal(signal.SIGTERM, {handler}); time.sleep(60)"
    with pytest.raises(ToolTimedOut):
        run(python(code), cwd=tmp_path, timeout=2)
    assert (tmp_path / "asked").exists() != deaf


def test_tail_keeps_short_text() -> None:
    assert tail("a\nb\n") == "a\nb"
