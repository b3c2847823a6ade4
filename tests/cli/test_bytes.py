"""Programs' output is printed byte for byte; porter adds only banners."""

from __future__ import annotations

import codecs
import pty
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import Raw, command, environment

if TYPE_CHECKING:
    from porter.pipeline import Build


ALL = bytes(range(256))
WRITE = "import sys; sys.stdout.buffer.write(bytes(range(256)))"
NO_UTF8 = {
    "LC_ALL": "C",
    "PYTHONCOERCECLOCALE": "0",
    "PYTHONUTF8": "0",
    "PYTHONIOENCODING": "ascii",
}


@pytest.mark.parametrize("mode", [[], ["--live"]])
def test_every_byte(on_build: Raw, mode: list[str]) -> None:
    both = f"{WRITE}; sys.stderr.buffer.write(bytes(range(255, -1, -1)))"
    done = on_build("run", *mode, "-n", 3, "-c", both)
    assert (done.returncode, done.stdout, done.stderr) == (0, ALL, ALL[::-1])


def test_several_groups_end_in_newlines(on_build: Raw) -> None:
    done = on_build("run", "-n", 3, "-c", "print('\\t\\xff', threadIdx // 2, end='')")
    text = "\t\xff".encode()
    expected = b"----- 2x -----\n" + text + b" 0\n----- 1x -----\n" + text + b" 1\n"
    assert (done.returncode, done.stdout) == (0, expected)


def test_a_message_begins_a_line(on_build: Raw) -> None:
    done = on_build("run", "-n", 1, "--stderr", "64", "-c", "raise ValueError('x' * 99)")
    lines = done.stderr.splitlines()
    assert lines[-2].startswith(b"----- cut: 64 of ") and lines[-1].startswith(b"porter: error")
    code = "import sys; sys.stderr.write('open'); 1 // 0"
    assert b"openTraceback" in on_build("run", "-n", 1, "-c", code).stderr


def test_output_that_is_cut_keeps_its_bytes(on_build: Raw) -> None:
    done = on_build("run", "-n", 2, "--stdout", "64", "-c", "print('\\u20ac' * 30)")
    kept = ("\u20ac" * 30).encode()[:64]
    assert done.stdout == kept + b"\n----- cut: 64 of 91 bytes kept -----\n"


def test_no_output_at_all_is_none(on_build: Raw) -> None:
    for code in ("print('x')", "print(threadIdx)"):
        done = on_build("run", "-n", 3, "--stdout", "0", "-c", code)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_machine_that_knows_ascii_alone(on_build: Raw) -> None:
    for mode in ([], ["--live"]):
        done = on_build("run", *mode, "-n", 2, "-c", "print('h\u00e9', threadIdx)", **NO_UTF8)
        assert done.returncode == 0
        assert "h\u00e9 0\n".encode() in done.stdout
    piped = on_build("repl", "-n", 2, input="print('h\u00e9')\n".encode(), **NO_UTF8)
    assert piped.stdout == "h\u00e9\n".encode()


def test_a_byte_order_mark(on_build: Raw, tmp_path: Path) -> None:
    program = codecs.BOM_UTF8 + b"print('marked')\n"
    (tmp_path / "marked.py").write_bytes(program)
    assert on_build("run", tmp_path / "marked.py").stdout == b"marked\n"
    assert on_build("run", "-c", program).stdout == b"marked\n"
    assert on_build("repl", "-n", 1, input=program).stdout == b"marked\n"


def test_a_name_that_is_no_text(on_build: Raw, tmp_path: Path) -> None:
    program = bytes(tmp_path) + b"/na\xefve.py"
    Path(program.decode("utf-8", "surrogateescape")).write_text("print(__file__)")
    assert on_build("run", program).stdout == program + b"\n"


def test_a_piped_prompt(on_build: Raw) -> None:
    lines = b"print('a\\tb', end='')\nprint('\xff', end='')\nthreadIdx\nprint('c', end='')\n"
    done = on_build("repl", "-n", 2, input=lines)
    # A banner starts a line, and nothing is added to the program's own text.
    groups = b"----- 1x -----\n0\n----- 1x -----\n1\n"
    assert (done.returncode, done.stdout) == (0, b"a\tb\xff\n" + groups + b"c")


def test_a_terminal_gets_the_bytes_too(built: Build, tmp_path: Path) -> None:
    here, there = pty.openpty()
    code = "print('a\\tb\\x1b[31m', threadIdx)"
    args = command("run", "--target", "host", "--build", built.folder, "-n", "2", "-c", code)
    env = environment(PYTHONPATH=str(Path(__file__).parents[2]), TERM="xterm-256color")
    subprocess.run(args, cwd=tmp_path, env=env, stdin=there, stdout=there, check=True)
    shown = b""
    while shown.count(b"\n") < 4:
        with open(here, "rb", buffering=0, closefd=False) as file:
            shown += file.read(1000)
    assert b"a\tb\x1b[31m 0\r\n" in shown
    assert b"\x1b[" in shown.partition(b"-----")[0]  # banners have a colour there
