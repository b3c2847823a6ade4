"""The command's exit code after SystemExit follows CPython's rules."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.conftest import Raw

VALUES = [
    *("0", "7", "-1", "256", "True", "None", "1 << 31", "1 << 40", "(1 << 40) + 5"),
    *("1 << 70", "-(1 << 70)", "1.5", "float('nan')", "'why'", "''", "()", "[1]", "1, 2", "b'x'"),
]
CLASSES = """
class Number(int): pass
class Converts:
    def __int__(self): return 3
    def __str__(self): return 'converts'
class Broken:
    def __str__(self): return 1 // 0
raise SystemExit(%s)
"""


@pytest.mark.parametrize("value", VALUES)
def test_as_cpython(on_build: Raw, value: str) -> None:
    code = f"raise SystemExit({value})"
    expected = subprocess.run([sys.executable, "-c", code], capture_output=True)
    done = on_build("run", "-n", 2, "-c", code)
    assert (done.returncode, done.stderr) == (expected.returncode, expected.stderr)


@pytest.mark.parametrize("value", ["Number(5)", "Converts()", "Broken()"])
def test_objects_as_cpython(on_build: Raw, value: str) -> None:
    code = CLASSES % value
    expected = subprocess.run([sys.executable, "-c", code], capture_output=True)
    done = on_build("run", "-n", 1, "-c", code)
    assert done.returncode == expected.returncode
    if value != "Broken()":  # CPython prints more than the program's own output for this value
        assert done.stderr == expected.stderr


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("raise SystemExit(threadIdx)", 1),
        ("raise SystemExit(256 if threadIdx < 2 else 9)", 9),
        ("raise SystemExit(256)", 0),
        ("if threadIdx == 2: raise SystemExit(4)", 4),
        ("raise SystemExit(4) if threadIdx else ValueError", 41),
    ],
)
def test_the_first_that_is_not_zero(on_build: Raw, code: str, status: int) -> None:
    assert on_build("run", "-n", 3, "-c", code).returncode == status


def test_a_prompt_ends_with_it_too(on_build: Raw) -> None:
    lines = b"if threadIdx == 1: raise SystemExit(3)\n\nraise SystemExit\n"
    assert on_build("repl", "-n", 3, input=lines).returncode == 3
