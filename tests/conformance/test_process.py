"""The runner that starts a process a test; CPython stands in for an interpreter."""

from __future__ import annotations

import sys
from pathlib import Path

from porter.conformance.backends.process import HostDirectoryLauncher, ProcessRunner
from porter.conformance.model import Program, Status

RUNNER = ProcessRunner("python", HostDirectoryLauncher(Path(sys.executable)), timeout=2.0, jobs=2)


def test_statuses_and_order() -> None:
    programs = [
        Program("/t/hang.py", b"print('go', flush=True)\nwhile True: pass", "/t"),
        Program("/t/ok.py", b"print(open('d').read())", "/t", (("t/d", b"data"),)),
        Program("/t/raise.py", b"1 / 0", "/t"),
        Program("/t/exit.py", b"raise SystemExit(3)", "/t"),
        Program("/t/skip.py", b"print('SKIP')\nraise SystemExit", "/t"),
        Program("/t/die.py", b"import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "/t"),
    ]
    told: list[int] = []
    hang, ok, raised, exited, skipped, died = RUNNER.run(programs, lambda i, _: told.append(i))
    assert (hang.status, hang.output) == (Status.TIMEOUT, b"go\n")
    assert (ok.status, ok.output) == (Status.OK, b"data\n")
    assert raised.status is Status.EXCEPTION
    assert b'File "/t/raise.py", line 1' in raised.output
    assert (exited.status, exited.note) == (Status.EXIT, "exit status 3")
    assert (skipped.status, skipped.output) == (Status.OK, b"SKIP\n")
    assert (died.status, died.note) == (Status.CRASH, "SIGSEGV")
    assert sorted(told) == list(range(6))
