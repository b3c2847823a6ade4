"""Interpreters from line to line: persistent state, their ends, and Ctrl-C."""

from __future__ import annotations

import ctypes
import io
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from porter.errors import NotEnoughMemory, UsageError
from porter.fs.folder import image_of
from porter.repl import Session, Shell
from porter.repl.session import _check_memory, fitting
from porter.run import Device, Launch, open_device
from tests.repl.conftest import Typed

Open = Callable[..., Session]


def test_names_stay_and_values_are_printed(session: Session) -> None:
    session.execute("x = threadIdx * 10\n")
    answer = session.execute("x, numThreads\n")
    assert [answer.outputs[0][i] for i in (0, 11)] == [b"(0, 12)\n", b"(110, 12)\n"]
    assert (answer.failed, answer.exited, answer.broken) == (0, 0, {})


def test_equal_answers_have_no_banner(typed: Typed) -> None:
    assert typed("numThreads\n")[1] == "12\n"


def test_most_frequent_first_and_silent_ones_counted(typed: Typed) -> None:
    text = "if threadIdx < 5:\n    print('low' if threadIdx < 2 else 'mid')\n\n"
    assert typed(text)[1].splitlines() == [
        "----- 7x -----",
        "----- 3x -----",
        "mid",
        "----- 2x -----",
        "low",
    ]


def test_max_groups_says_what_is_not_shown(typed: Typed) -> None:
    lines = typed("threadIdx\n", max_groups=2)[1].splitlines()
    assert lines == [
        *("----- 1x -----", "0", "----- 1x -----", "1"),
        "----- 10 more different outputs of 10 interpreters -----",
    ]


def test_silence_prints_nothing(typed: Typed) -> None:
    assert typed("x = threadIdx\n")[1] == ""


def test_tracebacks_are_grouped_with_output(typed: Typed) -> None:
    shell, text = typed("print('a'); 1 // (threadIdx % 4)\n")
    assert text.splitlines() == [
        *("----- 6x -----", "a", "0"),
        *("----- 3x -----", "a", "1"),
        *("----- 3x -----", "a", "Traceback (most recent call last):"),
        '  File "<stdin>", line 1, in <module>',
        "ZeroDivisionError: integer division or modulo by zero",
    ]
    assert shell.failed


def test_some_exit_and_the_others_go_on(typed: Typed) -> None:
    shell, text = typed(
        "import sys\n",
        "sys.atexit(lambda: print('bye', threadIdx))\n",
        "if threadIdx < 2: sys.exit(7)\n\n",
        "numThreads\n",
        "threadIdx > 1\n",
    )
    assert text.splitlines() == [
        *("----- 1x -----", "bye 0", "----- 1x -----", "bye 1"),
        "porter: 2 interpreters ended by SystemExit",
        "porter: 10 interpreters left of 12",
        *("12", "True"),
    ]
    assert not shell.over and shell.exit_code == 7 and not shell.failed
    assert shell.session.live.tolist() == [False] * 2 + [True] * 10


def test_all_exit(typed: Typed) -> None:
    shell, text = typed("raise SystemExit(3)\n", "print('never')\n")
    assert shell.over and shell.exit_code == 3
    assert "never" not in text and "0 interpreters left of 12" in text


def test_what_breaks_is_named_and_left_out(built: Any) -> None:
    device = open_device(built.folder, "host")
    file = io.StringIO()
    console = Console(file=file, width=200, highlight=False)
    shell = Shell(Session.open(device, 5), console, console)
    fields = shell.session.arenas.fields
    for index in (1, 4):  # as an overrun of the pystack would
        ctypes.memset(fields["arenas"] + index * fields["arena_stride"], 0, 8)
    shell.enter("threadIdx >= 0\n")
    shell.enter("threadIdx\n")
    assert file.getvalue().splitlines() == [
        "True",
        "porter: 2 interpreters broke: each wrote past the end of its memory "
        "(a stack or the heap overran)",
        "porter: 3 interpreters left of 5",
        *("----- 1x -----", "0", "----- 1x -----", "2", "----- 1x -----", "3"),
    ]
    assert shell.failed


def test_a_reset_brings_all_back(typed: Typed) -> None:
    shell, text = typed("x = 1\n", "if threadIdx: raise SystemExit\n\n", "%reset\n", "x\n")
    assert shell.session.live.all()
    assert text.count("NameError") == 1


def test_closing_runs_exit_functions(typed: Typed, capsys: pytest.CaptureFixture[str]) -> None:
    shell, _ = typed("import sys; sys.atexit(print)\n")
    answer = shell.session.close()
    assert answer.outputs[0][3] == b"\n"


def test_runaway_recursion_is_an_exception(typed: Typed) -> None:
    attempt = "try: f()\nexcept RuntimeError as error: print(error)\n\n"
    _, text = typed("def f(): return f()\n\n", attempt, "f()\n", "1 + 1\n")
    ends = ("maximum recursion depth exceeded\nTrace",)
    assert text.startswith(ends)
    # A traceback longer than the buffer is cut, but the exhausted size is still reported.
    assert "bytes kept -----\nporter: 12 of 12 ran out of pystack, which is " in text
    assert text.endswith(" or more.\n2\n")


def test_a_full_heap_is_an_exception(typed: Typed) -> None:
    _, text = typed("x = []\n", "while 1: x.append(1.5)\n\n", "x = 0\n", "threadIdx >= 0\n")
    assert "MemoryError" in text and text.endswith("\nTrue\n")


def cancel_when_running(session: Session, times: int, gap: float = 0.3) -> threading.Thread:
    def ask() -> None:
        for _ in range(times):
            time.sleep(gap)
            session.cancel()

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


def test_an_interrupt_reaches_all_and_they_survive(session: Session) -> None:
    session.execute("x = 41\n")
    thread = cancel_when_running(session, 1)
    answer = session.execute("while True: pass\n\n")
    thread.join()
    assert answer.result.interrupted and answer.failed == 12 and session.live.all()
    (group,) = answer.outputs[0].groups
    assert group.count == 12 and group.text.endswith(b"KeyboardInterrupt\n")
    assert session.execute("x + 1\n").outputs[0][7] == b"42\n"


def test_a_second_interrupt_stops_hard(session: Session) -> None:
    session.execute("x = 41\n")
    thread = cancel_when_running(session, 2)
    text = "while True:\n    try:\n        while True: pass\n    except BaseException: pass\n\n"
    answer = session.execute(text)
    thread.join()
    assert (answer.stopped, answer.failed) == (12, 12) and session.live.all()
    assert session.execute("x + 1\n").outputs[0][7] == b"42\n"


def test_a_deadline_interrupts(open_session: Open) -> None:
    session = open_session(timeout=0.2)
    answer = session.execute("while True: pass\n\n")
    assert answer.result.interrupted and answer.failed == 12


def test_one_shared_file_system(open_session: Open, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "text.txt").write_text("".join(f"{i:05}\n" for i in range(100)))
    image = image_of(folder, 64 << 10)
    session = open_session(100, files=image)
    session.execute(
        "with open('text.txt') as f:\n    _ = f.seek(threadIdx * 6)\n    x = f.read(5)\n"
    )
    answer = session.execute("int(x) - threadIdx\n")
    (group,) = answer.outputs[0].groups
    assert (group.text, group.count) == (b"0\n", 100)


def test_too_many(any_device: Device) -> None:
    with pytest.raises(NotEnoughMemory, match="do not fit"):
        Session.open(any_device, 2**31 - 1)
    with pytest.raises(UsageError, match="at least one"):
        Session.open(any_device, 0)


def test_as_many_as_fit_where_none_are_asked_for(any_device: Device) -> None:
    launch = Launch()
    count = fitting(any_device, 2**31, launch)
    assert count & (count - 1) == 0 and 0 < count < 2**31  # powers of two
    _check_memory(any_device, count, launch, count * 3)
    with pytest.raises(NotEnoughMemory):
        _check_memory(any_device, count * 4, launch, count * 12)
    assert fitting(any_device, 4, launch) == 4


ENDLESS = """
def endless():
    while True:
        try:
            while True: pass
        except BaseException: pass
import sys
sys.atexit(endless)
"""


@pytest.mark.parametrize("how", ["close", "exit of one", "exit of all"])
def test_endless_exit_functions_are_stopped(
    open_session: Open, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("porter.repl.session.END_SECONDS", 0.2)
    session = open_session(3)
    session.execute(ENDLESS, kind="file")
    if how == "close":
        session.close()
        return
    which = "threadIdx == 1" if how == "exit of one" else "True"
    answer = session.execute(f"if {which}: raise SystemExit\n")
    assert answer.exited == (1 if how == "exit of one" else 3)
    after = session.execute("print(threadIdx)\n")
    assert list(after.outputs[0]) == ([b"0\n", b"2\n"] if answer.exited == 1 else [])
