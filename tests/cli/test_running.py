"""`porter run` on the real host twin: outputs, statuses, and failing programs."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from porter.fs import Image
from porter.fs.folder import image_of
from porter.pipeline import Build
from tests.cli.conftest import Porter, command, environment


def test_groups_under_banners(run: Porter) -> None:
    done = run("-n", 1000, "-c", "print('I am', threadIdx % 3, 'of', numThreads)")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "----- 334x -----",
        "I am 0 of 1000",
        "----- 333x -----",
        "I am 1 of 1000",
        "----- 333x -----",
        "I am 2 of 1000",
    ]


def test_file_with_stdin(run: Porter, tmp_path: Path) -> None:
    program, text = tmp_path / "program.py", tmp_path / "text"
    program.write_text("print(input().upper(), __file__)\n")
    text.write_text("hello\n")
    done = run("-n", 5, program, "--stdin-file", text)
    assert (done.code, done.out) == (0, f"HELLO {program}\n")


def test_syntax_error(run: Porter, tmp_path: Path) -> None:
    program = tmp_path / "broken.py"
    program.write_text("x = 1\nprint((\n")
    done = run("-n", 100, program)
    assert (done.code, done.out) == (40, "")
    assert f'File "{program}", line ' in done.err
    assert done.err.count("SyntaxError") == 1


def test_exception_in_some(run: Porter) -> None:
    code = "if threadIdx % 4 == 0: raise ValueError(threadIdx % 8)\nprint('well')"
    done = run("-n", 100, "-c", code)
    assert done.code == 41
    assert done.out.splitlines() == ["----- 75x -----", "well", "----- 25x -----"]
    assert "----- 13x -----" in done.err and "ValueError: 0" in done.err
    assert "----- 12x -----" in done.err and "ValueError: 4" in done.err
    assert "----- 75x -----" not in done.err
    assert "25 of 100 interpreters ended with an error" in done.err


def test_output_longer_than_its_buffer(run: Porter) -> None:
    code = "print('x' * 5000 if threadIdx == 1 else 'short')"
    done = run("-n", 4, "--stdout", "1K", "-c", code)
    assert done.code == 0
    assert done.out.splitlines() == [
        "----- 3x -----",
        "short",
        "----- 1x -----",
        "x" * 1024,
        "----- cut: 1024 of 5001 bytes kept -----",
    ]
    whole = run("-n", 1, "--stdout", "8K", "-c", code.replace("== 1", "== 0"))
    assert whole.out == "x" * 5000 + "\n"


def test_exit_code_of_the_program(run: Porter) -> None:
    assert run("-c", "import sys; sys.exit(7)").code == 7
    assert run("-c", "raise SystemExit").code == 0
    assert run("-c", "import sys; sys.exit('why')").code == 1


def test_more_interpreters_than_memory(run: Porter) -> None:
    done = run("-n", 2_000_000_000, "-c", "1")
    assert done.code == 42
    assert "2000000000 interpreters do not fit" in done.err
    most = int(done.err.partition("At most ")[2].partition(" ")[0])
    assert 0 < most < 2_000_000_000


def test_a_heap_that_is_used_up(run: Porter) -> None:
    done = run("--heap", "16K", "-c", "x = bytearray(20000)")
    assert (done.code, "MemoryError" in done.err) == (41, True)
    assert run("--heap", "64K", "-c", "x = bytearray(20000)").code == 0


@pytest.mark.parametrize(
    ("call", "option"),
    [
        ("f()", "--pystack"),
        ("max([1], key=lambda x: f())", "--stack"),
    ],
)
def test_recursion_ends_in_an_exception(run: Porter, call: str, option: str) -> None:
    small = ("--pystack", "1K") if option == "--pystack" else ("--stack", "8K")
    code = f"def f(): {call}\nf()"
    done = run("--heap", "256K", *small, "--stderr", "16K", "-n", 3, "-c", code)
    assert done.code == 41
    assert "RecursionError: maximum recursion depth exceeded" in done.err
    assert f"give {option} " in done.err


def test_timeout(run: Porter) -> None:
    done = run("--timeout", 1, "-n", 3, "-c", "print('begun')\nwhile True: pass")
    assert done.code == 41
    assert done.out == "begun\n"
    assert "KeyboardInterrupt" in done.err
    assert "3 of 3 interpreters were interrupted" in done.err


def test_ctrl_c(built: Build, tmp_path: Path) -> None:
    release = built.sources.name.rpartition("-")[0]
    args = ("run", "--target", "host", "--release", release, "-c", "while True: pass")
    root = str(Path(__file__).parents[2])
    with subprocess.Popen(
        command(*args),
        cwd=tmp_path,
        env=environment(PYTHONPATH=root),
        stderr=subprocess.PIPE,
        text=True,
        # Background jobs of a shell ignore SIGINT, and their children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            time.sleep(6)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, "porter: interrupted" in err) == (130, True)


def test_file_system(run: Porter, tmp_path: Path) -> None:
    files, path = tmp_path / "files", tmp_path / "image"
    files.mkdir()
    (files / "helper.py").write_text("text = 'imported'\n")
    image_of(files, 32768).save(path)
    before = path.read_bytes()
    code = """
import helper
with open('mine.txt', 'w') as f:
    f.write('by %d' % threadIdx)
print(helper.text, open('mine.txt').read() == 'by %d' % threadIdx)
"""
    done = run("-n", 4, "--fs", path, "-c", code)
    assert (done.code, done.out) == (0, "imported True\n")
    assert path.read_bytes() == before  # copies
    assert run("-n", 4, "--fs", path, "--save", "--save-from", 3, "-c", code).code == 0
    assert Image.load(path).read("mine.txt") == b"by 3"


def test_file_system_for_all(run: Porter, tmp_path: Path) -> None:
    path = tmp_path / "image"
    image = Image.empty(65536)
    image.write("read.txt", b"the same for all")
    image.save(path)
    code = """
import vram
def add():
    with open('log', 'a') as f:
        f.write('%d ' % threadIdx)
vram.retry(add)
print(open('read.txt').read())
"""
    shared = ("-n", 20, "--fs", path, "--fs-shared")
    assert run(*shared, "-c", code).out == "the same for all\n"
    assert {entry.path for entry in Image.load(path).walk()} == {"read.txt"}  # not saved
    assert run(*shared, "--save", "-c", code).code == 0
    assert sorted(map(int, Image.load(path).read("log").split())) == list(range(20))
    before = path.read_bytes()
    for wrong in (
        ("--fs-shared", "-c", "1"),
        (*shared, "--save", "--save-from", 1, "-c", "1"),
        ("--fs", path, "--save-from", 1, "-c", "1"),
        ("-n", 2, "--fs", path, "--save", "--save-from", 2, "-c", "1"),
    ):
        assert run(*wrong).code == 2
    broken = "VRAMBlockDevice().writeblocks(0, bytes(1024))"
    done = run(*shared, "--save", "-c", broken)
    assert (done.code, "not saved" in done.err) == (6, True)
    assert path.read_bytes() == before


def test_file_system_of_no_image(run: Porter) -> None:
    code = "open('a', 'w').write('b')\nimport os\nprint(os.listdir('/'))"
    assert run("-n", 2, "--fs-size", "16K", "-c", code).out == "['a']\n"


def test_more_file_systems_than_memory(run: Porter) -> None:
    done = run("-n", 2_000_000, "--fs-size", "1M", "-c", "1")
    assert (done.code, "file systems of 1M do not fit" in done.err) == (42, True)
    assert "At most" in done.err


def test_blocks(run: Porter) -> None:
    program = "syncthreads()\nprint(blockIdx, blockDim)"
    done = run("-n", 10, "--block", 4, "-c", program)
    assert (done.code, done.err) == (0, "")
    assert done.out.count("0 4") == done.out.count("1 4") == done.out.count("2 4") == 1
    assert run("-n", 300, "-c", "print(blockDim)").out == "128\n"
    wide = run("-n", 2, "--block", 2000, "-c", "pass")
    assert wide.code == 2
    assert "a block has 1 to 1024 here" in wide.err
