"""Streams of a program and of module io, and names of `sys`, compared with CPython."""

from __future__ import annotations

import numpy as np
import pytest

from porter.run import Device, Launch, Program, run

from .compare import assert_alike, printed

MEMORY = """
import io
for stream, end, parts in (
    (io.StringIO("a\\nb\\n\\nc"), "", ["x", "y\\n"]),
    (io.BytesIO(b"a\\nb\\n\\nc"), b"", [b"x", b"y\\n"]),
):
    print(stream.readlines(), stream.readlines(), stream.closed)
    stream.seek(2)
    print(stream.readlines(1), stream.tell(), stream.readable(), stream.writable())
    stream.seek(0, 2)
    stream.writelines(parts)
    stream.writelines(iter(parts[:1]))
    print(repr(stream.getvalue()), stream.seekable(), stream.isatty())
    stream.seek(3)
    print(stream.truncate(), stream.truncate(50), repr(stream.getvalue()), stream.truncate(1))
    print(repr(stream.getvalue()), stream.tell())
    for call in (lambda: stream.truncate(-1), lambda: stream.writelines(5)):
        try:
            print(call())
        except (ValueError, TypeError) as error:
            print(type(error).__name__)
    stream.close()
    print(stream.closed)
    for name in ("readlines", "truncate", "readable", "isatty"):
        try:
            print(getattr(stream, name)())
        except ValueError:
            print("closed")
"""

NAMES = """
import os, sys
print(sys.stdout.isatty(), sys.stdin.readable(), sys.stdin.writable(), sys.stdout.writable())
print(sys.stdout.encoding, sys.stdout.closed, sys.stdin.closed, sys.stdout.mode, sys.stdin.mode)
print(sys.stdin.name, sys.stdout.name, sys.stderr.name)
sys.stdout.reconfigure(encoding="utf-8")
sys.stdout.writelines(["a", "b\\n"])
print("sys" in sys.modules, "builtins" in sys.modules, sys.modules["__main__"].__name__)
print(sys.modules["sys"] is sys, len(sys.argv))
try:
    open(7)
except OSError as error:
    print(error)
"""


PRINTED = """\
False True False True
utf-8 False False w r
<stdin> <stdout> <stderr>
ab
True True __main__
True 1
[Errno 9] Bad file descriptor
"""


def test_memory_streams(any_device: Device) -> None:
    assert_alike(any_device, MEMORY)


def test_names_of_sys(any_device: Device) -> None:
    assert printed(any_device, NAMES) == PRINTED


@pytest.mark.parametrize(
    ("program", "output"),
    [
        ("print(open(0).read().split())", "['1', '2']"),
        ("with open(0) as lines:\n for line in lines: print(int(line))", "1\n2"),
        ("import os\nprint(os.read(0, 3), os.write(1, b'w'))", "wb'1\\n2' 1"),
        ("print(open(0, 'rb').read())", "b'1\\n2\\n'"),
        (
            "input(); input()\ntry: input()\nexcept EOFError as e: print(e)",
            "EOF when reading a line",
        ),
    ],
)
def test_stdin(any_device: Device, program: str, output: str) -> None:
    result = run(any_device, [Program(program)], 1, Launch(heap=1 << 16, stdin=b"1\n2\n"))
    assert result.stdout[0].decode() == output + "\n", result.stderr[0]


def test_the_program_is_the_first_argument(any_device: Device) -> None:
    programs = [Program("import sys\nprint(sys.argv)", name) for name in ("one.py", "<two>")]
    result = run(any_device, programs, 2, program_of=np.arange(2))
    assert [result.stdout[i] for i in range(2)] == [b"['one.py']\n", b"['<two>']\n"]


def test_sizes(any_device: Device) -> None:
    """Sizes of numbers and texts are those of CPython 3.13 (64 bits)."""
    sizes = {
        "0": 28, "1": 28, "-1": 28, "1 << 29": 28, "1 << 30": 32, "1 << 60": 36, "-(1 << 90)": 40,
        "True": 28, "1.5": 24, "None": 16, "''": 41, "'abc'": 44, "'\\xe9'": 58, "'\\u20ac'": 60,
        "'\\U0001f600'": 64, "b''": 33, "b'abc'": 36, "()": 40, "(1, 2)": 56, "[]": 56,
    }  # fmt: skip
    program = f"import sys\nprint([sys.getsizeof(x) for x in ({', '.join(sizes)})])"
    assert printed(any_device, program) == f"{list(sizes.values())}\n"
    others = (
        "import sys\nprint([sys.getsizeof(x) > 0 for x in ([1], {}, {1}, len, int, sys, iter(()))])"
    )
    assert printed(any_device, others) == f"{[True] * 7}\n"
