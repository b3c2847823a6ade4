"""The runner that starts one process per test; CPython is the fake interpreter."""

from __future__ import annotations

import sys
from pathlib import Path

from porter.conformance.backends.process_runner import HostDirectoryLauncher, ProcessRunner
from porter.conformance.records import Script, ScriptStatus

RUNNER = ProcessRunner("python", HostDirectoryLauncher(Path(sys.executable)), timeout=2.0, jobs=2)


def test_statuses_and_order() -> None:
    programs = [
        Script("/t/hang.py", b"print('go', flush=True)\nwhile True: pass", "/t"),
        Script("/t/ok.py", b"print(open('d').read())", "/t", (("t/d", b"data"),)),
        Script("/t/raise.py", b"1 / 0", "/t"),
        Script("/t/exit.py", b"raise SystemExit(3)", "/t"),
        Script("/t/skip.py", b"print('SKIP')\nraise SystemExit", "/t"),
        Script("/t/die.py", b"import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "/t"),
    ]
    told: list[int] = []
    hang, ok, raised, exited, skipped, died = RUNNER.run(programs, lambda i, _: told.append(i))
    assert (hang.status, hang.output) == (ScriptStatus.TIMEOUT, b"go\n")
    assert (ok.status, ok.output) == (ScriptStatus.OK, b"data\n")
    assert raised.status is ScriptStatus.EXCEPTION
    assert b'File "/t/raise.py", line 1' in raised.output
    assert (exited.status, exited.note) == (ScriptStatus.EXIT, "exit status 3")
    assert (skipped.status, skipped.output) == (ScriptStatus.OK, b"SKIP\n")
    assert (died.status, died.note) == (ScriptStatus.CRASH, "SIGSEGV")
    assert sorted(told) == list(range(6))
