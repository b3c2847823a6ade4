"""The port's behaviour on the plain C reference build."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from porter_dev import builds

OK, EXCEPTION, SYNTAX, STOPPED, NO_MEMORY, NO_FILE_SYSTEM = 0, 1, 3, 4, 5, 6


@pytest.fixture(scope="session")
def executable() -> Path:
    try:
        return builds.reference()
    except builds.NoRelease as error:
        pytest.skip(str(error))


class Reference:
    """A fake interpreter that runs one program and stores the output."""

    def __init__(self, executable: Path, folder: Path) -> None:
        self.executable, self.folder = executable, folder

    def command(self, source: str, *options: str) -> list[str]:
        path = self.folder / "program.py"
        path.write_text(source)
        return [str(self.executable), *options, "--name", "program.py", str(path)]

    def __call__(self, source: str, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(source, *options), capture_output=True, text=True, timeout=120
        )


@pytest.fixture
def run(executable: Path, tmp_path: Path) -> Reference:
    return Reference(executable, tmp_path)


def test_hello(run: Reference) -> None:
    done = run("print('hello', threadIdx, numThreads)")
    assert (done.stdout, done.stderr, done.returncode) == ("hello 0 1\n", "", OK)


def test_traceback(run: Reference) -> None:
    done = run("def f():\n    return [][1]\nprint('before')\nf()\n")
    assert done.stdout == "before\n"
    assert done.stderr == (
        "Traceback (most recent call last):\n"
        '  File "program.py", line 4, in <module>\n'
        '  File "program.py", line 2, in f\n'
        "IndexError: list index out of range\n"
    )
    assert done.returncode == EXCEPTION


def test_syntax_error(run: Reference) -> None:
    done = run("x = (1,\ny = 2\n")
    assert "SyntaxError" in done.stderr
    assert done.returncode == SYNTAX
    assert run("exec('1 +')").returncode == EXCEPTION  # raised while running


@pytest.mark.parametrize(
    ("value", "code", "message"), [("", 0, ""), ("7", 7, ""), ("'sorry'", 1, "sorry\n")]
)
def test_exit(run: Reference, value: str, code: int, message: str) -> None:
    done = run(f"import sys\nsys.exit({value})\n")
    assert (done.returncode, done.stderr) == (code, message)


def test_kinds(run: Reference) -> None:
    assert run("1 + 1\n", "--single").stdout == "2\n"
    assert run("x = 3\n", "--single").stdout == ""
    assert run("1 + 1\n", "--eval").stdout == ""
    assert run("x = 1\n", "--eval").returncode == SYNTAX


def test_stdin(run: Reference, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("one\ntwo\nthree\nlast")
    done = run(
        "import sys\n"
        "print(repr(input('? ')), repr(sys.stdin.readline()), repr(sys.stdin.read(3)))\n"
        "print(repr(sys.stdin.buffer.read()), repr(sys.stdin.read()))\n"
        "try:\n    input()\nexcept EOFError:\n    print('EOF')\n",
        "--stdin", str(tmp_path / "in"),
    )  # fmt: skip
    assert done.stdout == "? 'one' 'two\\n' 'thr'\nb'ee\\nlast' ''\nEOF\n"


def test_streams(run: Reference) -> None:
    source = (
        "import sys\nsys.stdout.write('a')\nsys.stderr.write('b')\nsys.stdout.buffer.write(b'c')"
    )
    done = run(source)
    assert (done.stdout, done.stderr) == ("ac", "b")
    assert run(source, "--merge").stdout == "abc"
    done = run(
        "import sys\ntry:\n    sys.stdin.write('x')\nexcept OSError as e:\n    print(e.errno)"
    )
    assert done.stdout == "1\n"


def test_stacks_end_in_exceptions(run: Reference) -> None:
    source = (
        "def f(n):\n    return f(n + 1)\n"
        "try:\n    f(0)\nexcept RuntimeError as e:\n    print(e)\n"
        "print('on')\n"
    )
    expected = "maximum recursion depth exceeded\non\n"
    through_c = source.replace("f(n + 1)", "max([n], key=lambda n: f(n + 1))")
    assert run(through_c, "--stack", "8192").stdout == expected
    expected = "maximum recursion depth exceeded\non\n"
    assert run(source, "--pystack", "1024", "--stack", "1000000").stdout == expected
    done = run("[" * 300 + "]" * 300, "--stack", "8192")  # the compiler itself runs out
    assert done.stderr.endswith("RecursionError: maximum recursion depth exceeded\n")


def test_memory_error_can_be_caught(run: Reference) -> None:
    source = (
        "l = []\ntry:\n    while 1:\n        l.append(bytes(100))\n"
        "except MemoryError:\n    l = None\nprint('on')"
    )
    assert run(source, "--heap", "16384").stdout == "on\n"


def test_heap_too_small_to_start(run: Reference) -> None:
    assert run("print(1)", "--heap", "256").returncode in (NO_MEMORY, EXCEPTION)


@pytest.mark.parametrize("count", range(1, 200, 3))
def test_failing_allocation(run: Reference, count: int) -> None:
    source = (
        "try:\n    d = {i: [i] * 20 for i in range(20)}\n"
        "    out = str(sum(len(v) for v in d.values()))\n"
        "except MemoryError:\n    out = 'MemoryError'\n"
        "print(out)\n"
    )
    done = run(source, "--fail", str(count))
    assert done.stdout in ("400\n", "MemoryError\n") or "MemoryError" in done.stderr
    assert done.returncode in (OK, EXCEPTION)


def test_gc_stress(run: Reference) -> None:
    source = "print(sorted(str(i) for i in range(50))[:3], '%d' % 10**20, {1: [3]})"
    done = run(source, "--gc-stress", "--heap", "32768")
    assert done.stdout == "['0', '1', '10'] 100000000000000000000 {1: [3]}\n"


@pytest.mark.parametrize(
    "loop", ["while True:\n    pass\n", "def f(n):\n    return n and f(n - 1) + f(n - 1)\nf(60)\n"]
)
def test_interrupts(run: Reference, loop: str) -> None:
    body = "".join(f"    {line}\n" for line in loop.splitlines())
    source = f"try:\n{body}except KeyboardInterrupt:\n    print('interrupted')\nprint('on')\n"
    process = subprocess.Popen(
        run.command(source), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert (out, process.returncode) == ("interrupted\non\n", OK)


def test_hard_stop_runs_no_handler(run: Reference) -> None:
    source = (
        "while True:\n"
        "    try:\n        while True:\n            pass\n"
        "    except BaseException:\n        print('caught')\n"
        "    finally:\n        print('finally')\n"
    )
    done = run(source, "--timeout", "1")
    assert (done.stdout, done.returncode) == ("", STOPPED)


def test_file_system(run: Reference) -> None:
    source = (
        "import gpu, os, vfs, sys\n"
        "device = gpu.RAMBlockDevice()\n"
        "vfs.VfsLfs2.mkfs(device)\n"
        "vfs.mount(device, '/')\n"
        "with open('/mod.py', 'w') as f:\n    f.write('x = 41\\n')\n"
        "import mod\n"
        "print(mod.x + 1, os.listdir('/'))\n"
        "buf = bytearray(8)\n"
        "print(device.readblocks(99, buf), device.readblocks(0, buf, 60000), device.ioctl(4, 0))\n"
        "for bad in (dict(block_size=16), dict(start=-1), dict(start=65536), dict(size=100)):\n"
        "    try:\n        gpu.RAMBlockDevice(**bad)\n"
        "    except (ValueError, OSError) as e:\n        print(type(e).__name__)\n"
    )
    done = run(source, "--fs-size", "65536", "--fs-block", "512")
    assert done.stderr == ""
    assert done.stdout.splitlines()[:1] == ["42 ['mod.py']"]
    assert done.stdout.splitlines()[2:] == ["ValueError", "ValueError", "OSError", "OSError"]
    assert run("import gpu\ngpu.RAMBlockDevice()").returncode == EXCEPTION


def test_image_that_is_none(run: Reference, tmp_path: Path) -> None:
    (tmp_path / "image").write_bytes(bytes(16384))
    done = run("print(1)", "--fs", str(tmp_path / "image"), "--fs-block", "512")
    assert done.returncode == NO_FILE_SYSTEM
    assert "OSError" in done.stderr


def test_exit_functions(run: Reference) -> None:
    source = "import sys\nsys.atexit(lambda: print('bye'))\nprint('end')\n"
    assert run(source).stdout == "end\nbye\n"
    done = run("import sys\nsys.atexit(lambda: 1 / 0)\n")
    assert "ZeroDivisionError" in done.stderr


def test_asyncio_and_time(run: Reference) -> None:
    source = (
        "import asyncio, time\n"
        "async def main():\n    await asyncio.sleep_ms(20)\n    return 5\n"
        "start = time.ticks_us()\n"
        "print(asyncio.run(main()), 19000 <= time.ticks_diff(time.ticks_us(), start) < 2000000)\n"
        "print(tuple(time.gmtime(0)), time.time() > 1.6e9)\n"
    )
    assert run(source).stdout == "5 True\n(1970, 1, 1, 0, 0, 0, 3, 1, 0) True\n"
