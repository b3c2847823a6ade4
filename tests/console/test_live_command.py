"""`porter run --live`: output appears during the run, and Ctrl-C loses none of it."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import Porter, command, environment

Start = Callable[..., "subprocess.Popen[bytes]"]

if TYPE_CHECKING:
    from porter.pipeline import Build


@pytest.fixture
def started(built: Build, tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts `porter run ARGS`, for interaction with a test."""
    release = built.sources.name.rpartition("-")[0]
    processes: list[subprocess.Popen[bytes]] = []

    def start(*args: str | Path) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            command("run", "--target", "host", "--release", release, *args),
            cwd=tmp_path,
            env=environment(PYTHONPATH=str(Path(__file__).parents[2])),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # communicate() would miss data that a buffered readline() has read ahead
            # Background jobs of a shell ignore SIGINT, and their children inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def test_a_printer_without_end(started: Start) -> None:
    process = started("--live", "-n", 1, "-c", "i = 0\nwhile True:\n    print(i)\n    i += 1")
    assert process.stdout is not None
    seen = [process.stdout.readline() for _ in range(1000)]  # while it runs
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    lines = b"".join(seen) + out
    count = lines.count(b"\n")
    assert lines == b"".join(b"%d\n" % i for i in range(count)) and count > 1000
    assert b"KeyboardInterrupt" in err and b"porter: interrupted" in err
    assert process.returncode == 130


def test_ctrl_c_keeps_buffered_output(started: Start, tmp_path: Path) -> None:
    code = "print('so far', threadIdx % 2)\nwhile True: pass"
    process = started("-n", 3, "--stdin-file", "-", "-c", code)
    # porter reads its input right before it starts the interpreters.
    assert process.stdin is not None
    process.stdin.write(b"x" * (1 << 20))
    process.stdin.close()
    process.stdin = None
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out == b"----- 2x -----\nso far 0\n----- 1x -----\nso far 1\n"
    assert b"KeyboardInterrupt" in err and b"porter: interrupted" in err
    assert process.returncode == 130


def test_a_conversation(started: Start) -> None:
    code = "while True: print('you said', input('? '))"
    process = started("--live", "-n", 1, "--stdin-file", "-", "-c", code)
    assert process.stdin is not None and process.stdout is not None
    for text in (b"hello\n", b"again\n"):
        assert process.stdout.read(2) == b"? "
        process.stdin.write(text)
        process.stdin.flush()
        assert process.stdout.readline() == b"you said " + text
    out, err = process.communicate(timeout=60)  # and closes it
    assert (out, process.returncode) == (b"? ", 41)
    assert b"EOFError" in err


def test_a_reader_that_goes_away(started: Start) -> None:
    process = started("--live", "-n", 2, "-c", "while True: print('x')")
    assert process.stdout is not None
    assert process.stdout.readline().endswith(b"\n")
    process.stdout.close()
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    assert process.wait(timeout=60) in (0, 1)  # rich ends a command so


def test_equal_lines_under_one_banner(run: Porter) -> None:
    done = run("--live", "-n", 10, "-c", "print('all')\nprint(min(threadIdx, 2))")
    assert (done.code, done.err) == (0, "")
    assert sorted(done.out.splitlines()) == sorted(["all", "----- 8x -----", "2", "[0] 0", "[1] 1"])


def test_an_error_while_live(run: Porter) -> None:
    done = run("--live", "-n", 2, "-c", "print('x')\n1/0")
    assert (done.code, done.out) == (41, "x\n")
    assert done.err.count("ZeroDivisionError") == 1
    assert "2 of 2 interpreters ended with an error" in done.err
    syntax = run("--live", "-n", 2, "-c", "print((")
    assert (syntax.code, syntax.out) == (40, "")
    assert "SyntaxError" in syntax.err


def test_printf(run: Porter) -> None:
    done = run("--console", "printf", "-n", 2, "-c", "print('number', threadIdx)")
    assert (done.code, sorted(done.out.splitlines())) == (0, ["number 0", "number 1"])


def test_what_does_not_fit_is_said(run: Porter) -> None:
    code = "for i in range(100000): print(i)"
    done = run("--live", "--overflow", "drop", "--ring", "128", "-n", 1, "-c", code)
    assert done.code == 0
    assert "----- lost: " in done.err and "bytes of 1 interpreters" in done.err


def test_one_file_each(run: Porter, tmp_path: Path) -> None:
    for i in range(3):
        (tmp_path / str(i)).write_text(f"text {i}\n")
    done = run("-n", 3, "--stdin-dir", tmp_path, "-c", "print(input()[-1] == str(threadIdx))")
    assert (done.code, done.out) == (0, "True\n")
    missing = run("-n", 4, "--stdin-dir", tmp_path, "-c", "1")
    assert (missing.code, f"{tmp_path}/3: No such file" in missing.err) == (2, True)


def test_porters_own_stdin(run: Porter) -> None:
    done = run("-n", 2, "--stdin-file", "-", "-c", "print(input(), input())", input="a\nb\n")
    assert (done.code, done.out) == (0, "a b\n")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--console", "paper"), "'paper' is not one of"),
        (("--console", "printf", "--live"), "--live means --console ring, not printf"),
        (("--live", "--overflow", "spill"), "'spill' is not one of"),
        (("--live", "--ring", "much"), "--ring"),
        (("--live", "--ring", "0"), "ring: 0 bytes"),
        (("--stdin-file", "-", "--stdin-dir", "."), "give either --stdin-file or --stdin-dir"),
        (("--stdin-file", "/nonexistent"), "/nonexistent: No such file"),
    ],
)
def test_bad_options(run: Porter, args: tuple[str, ...], message: str) -> None:
    done = run(*args, "-c", "1")
    assert (done.code, done.out) == (2, "")
    assert message in done.err
