"""Replaced sys.stdin, sys.stdout and sys.stderr, compared with CPython."""

from __future__ import annotations

import pytest

from porter.run import Device
from tests.library.compare import assert_alike

PROGRAMS = {
    "print": """
import io, sys
old = sys.stdout
sys.stdout = text = io.StringIO()
print("a", 1, [2], sep="-", end="!\\n")
print()
print("to the old one", file=old)
sys.stdout.write("written\\n")
sys.stdout = old
print(repr(text.getvalue()))
""",
    "objects": """
import sys
class Tee:
    def __init__(self): self.parts = []
    def write(self, text): self.parts.append(text)
    def flush(self): self.parts.append("flushed")
old, sys.stdout = sys.stdout, Tee()
print(1, "x", None, sep=", ")
print(end="")
print("y", flush=True)
sys.stdout, tee = old, sys.stdout
print([part for part in tee.parts if part != "flushed"])
""",
    "arguments": """
import sys
print(1, 2, sep=None, end=None, file=None)
for arguments in ({"sep": 1}, {"end": b""}, {"file": 3}, {"file": object()}):
    try:
        print(1, **arguments)
    except (TypeError, AttributeError) as error:
        print(type(error).__name__, error)
sys.stdout, old = None, sys.stdout
print("lost")
sys.stdout = old
class Broken:
    def write(self, text): raise ValueError(text)
try:
    print("text", file=Broken())
except ValueError as error:
    print(error)
""",
    "redirect": """
import contextlib, io, sys
out, inner = io.StringIO(), io.StringIO()
with contextlib.redirect_stdout(out) as target:
    print("outer", target is out)
    with contextlib.redirect_stdout(inner):
        print("inner")
    print("outer again")
print(repr(out.getvalue()), repr(inner.getvalue()))
err = io.StringIO()
with contextlib.redirect_stderr(err):
    print("error", file=sys.stderr)
    sys.stderr.write("more")
print(repr(err.getvalue()))
try:
    with contextlib.redirect_stdout(io.StringIO()):
        print("hidden")
        raise ValueError("seen")
except ValueError as error:
    print(error)
""",
    "input": """
import io, sys
old = sys.stdin
sys.stdin = io.StringIO("3\\nfirst line\\n\\nlast")
print(int(input()), input(), repr(input("prompt> ")), input())
try:
    input()
except EOFError as error:
    print(error)
sys.stdin = io.StringIO("a b\\nc\\n")
print([line.split() for line in sys.stdin])
sys.stdin = io.StringIO("x\\ny\\n")
print(sys.stdin.readline(), sys.stdin.read())
sys.stdin = io.StringIO("hello\\n")
sys.stdout, out = io.StringIO(), sys.stdout
name = input("name? ")
sys.stdout, prompt = out, sys.stdout
print(name, prompt.getvalue())
class Odd:
    def readline(self): return 3
sys.stdin = Odd()
try:
    input()
except TypeError as error:
    print(error)
sys.stdin = old
""",
    "names": """
import sys
print(sys.getrecursionlimit() > 0, sys.maxunicode, sys.float_info.epsilon, sys.float_info.max)
limit = sys.getrecursionlimit()
sys.setrecursionlimit(5000)
print(sys.getrecursionlimit())
sys.setrecursionlimit(limit)
for bad in (0, -1, "x", 1.5):
    try:
        sys.setrecursionlimit(bad)
    except (TypeError, ValueError) as error:
        print(error)
print(sys.getdefaultencoding(), sys.int_info.bits_per_digit, sys.hash_info.modulus)
print(hasattr(sys, "nonsense"), sys.maxsize)
try:
    sys.nonsense
except AttributeError:
    print("no such name")
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_streams_as_in_cpython(any_device: Device, name: str) -> None:
    assert_alike(any_device, PROGRAMS[name])


def test_own_streams_keep_their_names(any_device: Device) -> None:
    assert_alike(
        any_device,
        "import sys\nsys.stdout = sys.stdout\nprint(1)\nsys.stdin = sys.__stdin__\nprint(2)\n",
    )
