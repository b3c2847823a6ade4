"""Launches in a child process: crashes and hangs are pinned on one program."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence

import pytest

from porter.conformance.backends.isolated_process import Isolated, RunScripts
from porter.conformance.records import Script, ScriptOutcome, ScriptStatus
from porter.errors import NoGpu


def echoing() -> RunScripts:
    """Fake a launch that answers with each program's source, and fails as some sources request."""

    def launch(programs: Sequence[Script]) -> list[ScriptOutcome]:
        for program in programs:
            if program.source == b"die":
                os.kill(os.getpid(), signal.SIGSEGV)
            if program.source == b"hang":
                time.sleep(60)
        return [ScriptOutcome(program.source, ScriptStatus.OK) for program in programs]

    return launch


def no_gpu() -> RunScripts:
    """Return a build that cannot be opened here."""
    raise NoGpu("no GPU", hint="get one")


def test_a_crash_and_a_hang_take_no_other_program_along() -> None:
    isolated = Isolated(echoing, deadline=2.0)
    sources = [b"a", b"die", b"b", b"hang", b"c"]
    outcomes = isolated.run([Script(f"/{s.decode()}.py", s) for s in sources])
    isolated.close()
    assert [(o.status, o.output) for o in outcomes] == [
        (ScriptStatus.OK, b"a"),
        (ScriptStatus.CRASH, b""),
        (ScriptStatus.OK, b"b"),
        (ScriptStatus.TIMEOUT, b""),
        (ScriptStatus.OK, b"c"),
    ]
    assert outcomes[1].note == "SIGSEGV"


def test_what_is_no_programs_fault_is_raised() -> None:
    isolated = Isolated(no_gpu, deadline=30.0)
    with pytest.raises(NoGpu, match="no GPU"):
        isolated.run([Script("/a.py", b"")])
    isolated.close()
