"""`porter repl` fed from a pipe: outputs only, files, exit codes."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest
from PIL import Image as Picture

from porter.fs import Image
from porter.fs.folder import image_of
from porter.pipeline import Build
from tests.cli.conftest import Done, Porter, command, environment


@pytest.fixture(scope="module")
def repl(porter: Porter, built: Build) -> Porter:
    """Return a function that runs `porter repl ARGS` on the host twin, with `input` piped."""

    def repl(input: str, *args: str | Path, n: int = 12) -> Done:
        where = ("--target", "host", "--build", built.folder)
        return porter("repl", *where, "-n", n, *args, input=input)

    return repl


def test_outputs_only(repl: Porter) -> None:
    text = "x = threadIdx % 2\nif x:\n    print('odd')\n\nx\nnumThreads"
    done = repl(text, n=1001)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        *("----- 501x -----", "----- 500x -----", "odd"),
        *("----- 501x -----", "0", "----- 500x -----", "1", "1001"),
    ]


def test_what_a_pipe_ends_in_the_middle_of(repl: Porter) -> None:
    assert repl("if threadIdx < 20:\n    print('whole')").out == "whole\n"
    done = repl("print((1,")
    assert done.code == 41 and "SyntaxError" in done.out


def test_an_input_that_fails(repl: Porter) -> None:
    done = repl("1 // threadIdx\nprint('on')\n")
    assert done.code == 41 and done.out.endswith("\non\n")
    assert "an input failed" in done.err
    assert repl("%nonsense\n").code == 41


def test_exit_code_of_the_interpreters(repl: Porter) -> None:
    done = repl("raise SystemExit(5)\nprint('never')\n")
    assert (done.code, done.out) == (5, "")
    assert repl("if threadIdx: raise SystemExit(5)\n\nthreadIdx\n").code == 0


def test_nothing(repl: Porter) -> None:
    assert repl("") == Done(0, "", "")


def test_groups_that_are_not_shown(repl: Porter) -> None:
    lines = repl("threadIdx\n", "--max-groups", 3, n=1000).out.splitlines()
    assert lines[-1] == "----- 997 more different outputs of 997 interpreters -----"


def test_load_save_who_time_memory_help(repl: Porter, tmp_path: Path) -> None:
    program, saved = tmp_path / "program.py", tmp_path / "saved.py"
    program.write_text("# A function.\n\ndef double(x):\n    y = 2 * x\n\n    return y\n\nd = 7\n")
    done = repl(f"%load {program}\ndouble(d)\n%who\n%save {saved}\n%time d\n%memory\n%help\n")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "14" and "-----" not in done.out
    assert {"d int", "double function", "numThreads int", "outbuf outbuf"} <= set(lines)
    assert "%image [WxH] [FILE] [rgb]" in done.out
    assert "launch 0." in done.err and "K an interpreter, " in done.err
    again = repl(f"%load {saved}\n")
    assert (again.code, again.out) == (0, "14\n")
    transcript = tmp_path / "it.repl"
    transcript.write_text("Hi\n>>> if 1:\n...     8\n...\n8\n>>> 9\n9\n")
    assert repl(f"%load {transcript}\n").out == "8\n9\n"


@pytest.mark.parametrize(
    "line, error",
    [
        ("%load", "%load: one file is wanted"),
        ("%load /no/such", "/no/such: No such file"),
        ("%save /no/such/file", "/no/such/file: No such file"),
        ("%image 99x99", "99x99 pixels take 29403 bytes, and outbuf has 36"),
        ("%", "%: there is no such command"),
    ],
)
def test_commands_gone_wrong(repl: Porter, line: str, error: str) -> None:
    done = repl(f"{line}\nnumThreads\n")
    assert done.code == 41 and done.out == "12\n" and f"porter: {error}" in done.err


def test_a_picture(repl: Porter, tmp_path: Path) -> None:
    path = tmp_path / "rows.png"
    text = f"outbuf[threadIdx*3:threadIdx*3+3] = [0, 0, threadIdx]\n%image 4x3 {path}\n"
    assert repl(text, "--outbuf", 36).code == 0
    with Picture.open(path) as picture:
        assert [picture.convert("RGB").getpixel((x, 2)) for x in range(4)] == [
            (red, 0, 0) for red in (8, 9, 10, 11)
        ]


def test_a_shared_image(repl: Porter, tmp_path: Path) -> None:
    folder, path = tmp_path / "files", tmp_path / "image"
    folder.mkdir()
    (folder / "module.py").write_text("def answer(): return 42\n")
    image_of(folder, 64 << 10).save(path)
    text = "import module\nmodule.answer()\n"
    assert repl(text, "--fs", path).out == "42\n"
    write = "if threadIdx == 3:\n    with open('/new', 'w') as f: _ = f.write('kept')\n\n"
    assert repl(write, "--fs", path, "--save").code == 0
    assert repl("open('/new').read()\n", "--fs", path).out == "'kept'\n"
    assert Image.load(path).data != b""


@pytest.mark.parametrize(
    "args, code, error",
    [
        (("--save",), 2, "--save: there is no image"),
        (("-n", "0"), 2, "-n 0: at least one"),
        (("-n", "2000000000"), 42, "do not fit"),
        (("--fs", "/no/such"), 6, "/no/such"),
        (("--build", "/no/such"), 31, "there is no finished build"),
        (("--target", "all"), 2, "not on all"),
        (("--outbuf", "many"), 2, "many"),
    ],
)
def test_refused(repl: Porter, args: tuple[str, ...], code: int, error: str) -> None:
    done = repl("", *args)
    assert done.code == code and error in done.err and "Traceback" not in done.err


def test_a_timeout_and_ctrl_c(repl: Porter, built: Build, tmp_path: Path) -> None:
    done = repl("while 1: pass\n\nprint('on')\n", "--timeout", 0.3)
    assert "KeyboardInterrupt" in done.out and done.out.endswith("\non\n")
    process = subprocess.Popen(
        command("repl", "--target", "host", "--build", built.folder, "-n", "5"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
        env=environment(PYTHONPATH=str(Path(__file__).parents[2])),
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("print('ready')\nwhile 1: pass\n\nprint('on')\n")
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 41 and "KeyboardInterrupt" in out and out.endswith("\non\n")
