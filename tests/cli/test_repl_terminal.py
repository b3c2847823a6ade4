"""`porter repl` in a real terminal: a pseudo-terminal with a screen behind it."""

from __future__ import annotations

import contextlib
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from porter.pipeline import Build
from tests.cli.conftest import environment

CTRL_C, CTRL_D, UP = "\x03", "\x04", "\x1b[A"
PROMPT = ">>>"  # the cursor is moved behind it, no blank is written


ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Terminal:
    """A session with typed input; its output is read without escape sequences."""

    def __init__(self, build: Path, history: Path, n: int) -> None:
        arguments = ["-m", "porter", "repl", "--target", "host", "--build", str(build)]
        root = str(Path(__file__).parents[2])
        # This terminal does not answer cursor position requests.
        settings = {"TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1"}
        self.child = pexpect.spawn(
            sys.executable,
            [*arguments, "-n", str(n), "--history", str(history)],
            env=environment(PYTHONPATH=root, **settings),
            dimensions=(40, 100),
            encoding="utf-8",
        )
        self.raw = ""  # all that came and was not seen yet

    def see(self, text: str, seconds: float = 60) -> str:
        """Wait for `text`; return the output up to its end, including escape sequences."""
        end = time.monotonic() + seconds
        while text not in ESCAPE.sub("", self.raw):
            left = end - time.monotonic()
            assert left > 0, f"{text!r} did not appear, but {self.raw!r}"
            with contextlib.suppress(pexpect.TIMEOUT):
                self.raw += self.child.read_nonblocking(4096, timeout=left)
        whole = self.raw
        at = next(i for i in range(len(whole)) if text in ESCAPE.sub("", whole[: i + 1])) + 1
        self.raw = whole[at:]
        return whole[:at]

    def type(self, text: str) -> None:
        self.child.send(text)

    def line(self, text: str) -> None:
        self.child.send(text + "\r")


Start = Callable[..., Terminal]


@pytest.fixture
def start(built: Build, tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts sessions with one history."""
    terminals: list[Terminal] = []

    def start(n: int = 1000) -> Terminal:
        terminals.append(Terminal(built.folder, tmp_path / "state" / "history", n))
        terminals[-1].see(f"Starting gpusnek REPL with {n:,} snek...\n")
        terminals[-1].see(PROMPT)
        return terminals[-1]

    yield start
    for terminal in terminals:
        terminal.child.close(force=True)


def ended(terminal: Terminal) -> int:
    terminal.child.expect(pexpect.EOF)
    terminal.child.close()
    assert terminal.child.exitstatus is not None
    return int(terminal.child.exitstatus)


def test_figure_5a_and_turquoise_banners(start: Start) -> None:
    terminal = start(1000)
    terminal.line("numThreads")
    terminal.see("1000\n>>>")
    terminal.line("threadIdx % 3")
    shown = terminal.see("333x -----\n2\n>>>")
    turquoise = "\x1b[38;5;45m"  # turquoise2 of 256 colours
    assert shown.count(f"{turquoise}----- 333x -----") == 2
    first, second = f"{turquoise}----- 334x -----", f"{turquoise}----- 333x -----"
    assert shown.index(first) < shown.index("0\r\n") < shown.index(second)
    terminal.type(CTRL_D)
    assert ended(terminal) == 0


def test_the_prompt_and_notes_begin_a_line(start: Start) -> None:
    terminal = start(3)
    terminal.line("print('op' + 'en', end='')")
    terminal.see("open\n>>>")
    terminal.line("print('le' + 'ft', end='')")
    terminal.see("left\n>>>")
    terminal.line("%reset")
    terminal.see("porter: 3 fresh interpreters\n>>>")
    terminal.type(CTRL_D)
    assert ended(terminal) == 0


def test_a_block_with_its_indentation(start: Start) -> None:
    terminal = start(100)
    terminal.line("if threadIdx < 3:")
    terminal.see("...")
    terminal.line("for i in range(2):")  # the prompt has already inserted four blanks
    terminal.line("print('got', i)")
    terminal.line("")
    terminal.see("----- 97x -----\n----- 3x -----\ngot 0\ngot 1\n>>>")


def test_a_second_level_ends_by_backspace(start: Start) -> None:
    terminal = start(10)
    terminal.line("for i in range(2):")
    terminal.line("if i:")
    terminal.line("print('odd', i)")
    terminal.line("\x7fprint('end', i)")
    terminal.line("")
    terminal.see("end 0\nodd 1\nend 1\n>>>")


def test_completion_and_history(start: Start) -> None:
    terminal = start(10)
    terminal.line("numT\t + 1")
    terminal.see("11\n>>>")
    terminal.line("import ma\t\t")
    terminal.see("marshal")
    terminal.see("math")
    terminal.type(CTRL_C)
    terminal.see(PROMPT)
    terminal.line("%ti\t numThreads")
    terminal.see("10\n")
    terminal.see("launch 0.")
    terminal.see(PROMPT)
    terminal.type(CTRL_D)
    assert ended(terminal) == 0
    again = start(10)
    again.line(UP + UP + UP)
    again.see("11\n>>>")


def test_ctrl_c_at_the_prompt_clears_the_line(start: Start) -> None:
    terminal = start(10)
    terminal.type("print('unwanted'")
    terminal.see("unwanted")
    terminal.type(CTRL_C)
    terminal.see(PROMPT)
    terminal.line("3 * 5")
    terminal.see("15\n>>>")


def test_ctrl_c_while_running_interrupts_all(start: Start) -> None:
    terminal = start(50)
    terminal.line("x = 40")
    terminal.line("print('ready'); x = 41")
    terminal.see("ready\n>>>")
    terminal.line("while True: pass")
    terminal.line("")
    terminal.see("...")
    time.sleep(1)  # until the program runs
    terminal.type(CTRL_C)
    shown = terminal.see("KeyboardInterrupt\n>>>")
    assert shown.count("Traceback") == 1 and "-----" not in shown  # one group: all were
    terminal.line("x + 1")
    terminal.see("42\n>>>")


def test_a_second_ctrl_c_stops_what_caught_the_first(start: Start) -> None:
    terminal = start(5)
    terminal.line("while True:")
    terminal.line("try:")
    terminal.line("while True: pass")
    terminal.line("\x7fexcept BaseException: pass")
    terminal.see("BaseException: pass")
    terminal.line("")
    time.sleep(1)
    terminal.type(CTRL_C)
    time.sleep(0.3)
    terminal.type(CTRL_C)
    terminal.see("5 interpreters did not end when interrupted: stopped hard")
    terminal.see(PROMPT)
    terminal.line("1 + 2")
    terminal.see("3\n>>>")


def test_a_paste(start: Start) -> None:
    terminal = start(10)
    pasted = "def f(x):\n    y = x\n\n    return y + 1\n\nz = f(1)\nprint('z is', z)\n"
    terminal.line(f"\x1b[200~{pasted}\x1b[201~")
    terminal.see("z is 2\n>>>")
    terminal.line("\x1b[200~>>> if z:\r\n...     z + 5\r\n... \x1b[201~")
    terminal.see("7\n>>>")


def test_the_last_interpreter_ends_the_session(start: Start) -> None:
    terminal = start(10)
    terminal.line("raise SystemExit(9)")
    terminal.see("10 interpreters ended by SystemExit\n")
    terminal.see("0 interpreters left of 10\n")
    assert ended(terminal) == 9


def test_a_picture_is_sketched(start: Start, tmp_path: Path) -> None:
    terminal = start(4)
    terminal.line("outbuf[threadIdx*3:threadIdx*3+3] = [0, 0, 255 * (threadIdx % 2)]")
    terminal.see(PROMPT)
    terminal.line(f"%image 2x2 {tmp_path / 'p.png'}")
    terminal.see("\u2580\u2580\n")
    terminal.see("p.png: 2x2 pixels\n>>>")
