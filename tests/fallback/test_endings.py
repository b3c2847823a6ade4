"""Whole programs end as in a CPython process: output, exit code, threads, files, atexit.

Each program runs in the fallback, and in a CPython process of its own.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from porter.errors import UsageError
from porter.fallback import Fallback, layers_of

if TYPE_CHECKING:
    from tests.fallback.conftest import Run

STDIN = b"l1\r\nl2\rl3\n"
PROGRAMS = {
    "buffered until the end": (
        "import atexit, io, sys\nsys.stdout = io.StringIO()\n"
        "atexit.register(lambda: sys.__stdout__.write(sys.stdout.getvalue()))\n"
        "print(42)\nsys.exit()"
    ),
    "atexit after exit": "import atexit\natexit.register(print, 'bye')\nexit()",
    "atexit after an exception": "import atexit\natexit.register(print, 'bye')\n1 / 0",
    "a thread after exit": (
        "import sys, threading, time\ndef f():\n time.sleep(0.1)\n print('t')\n"
        "threading.Thread(target=f).start()\nsys.exit()"
    ),
    "a file of descriptor 1": "out = open(1, 'w')\nprint('x', file=out)",
    "fdopen": "import os\nout = os.fdopen(1, 'w')\nout.write('y')",
    "the first stdout": (
        "import io, sys\nout = sys.stdout\nsys.stdout = io.StringIO()\nout.write('x')"
    ),
    "a destructor": "class A:\n def __del__(self): print('del')\na = A()",
    "an encoding": (
        "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf8')\n"
        "print('x', 'a'.encode('gbk'), 'b'.encode('cp1251'), 'c'.encode('koi8-r'))"
    ),
    "input as it is": "import sys\nprint(repr(sys.stdin.read()), sys.stdout.mode)",
    "lines of input": (
        "import sys\nsys.stdin.reconfigure(encoding='utf8')\nprint([x for x in sys.stdin])"
    ),
    "modules that compress": "import bz2, gzip, lzma\nprint(bz2.decompress(bz2.compress(b'a')))",
    "a subclass of int": "class I(int): pass\nraise SystemExit(I(7))",
    "an enumeration": "import enum, sys\nsys.exit(enum.IntEnum('E', {'OK': 0}).OK)",
    "a bool": "raise SystemExit(True)",
    "a text": "raise SystemExit('why')",
    "a negative code": "raise SystemExit(-1)",
    "a large code": "raise SystemExit(10 ** 30)",
    "a code of more than 32 bits": "raise SystemExit(2 ** 40 + 7)",
    "os._exit": "import os\nprint(1, flush=True)\nos._exit(4)",
    "a thread that raises": (
        "import threading\ndef f(): 1 / 0\nt = threading.Thread(target=f)\nt.start()\nt.join()\n"
        "print(1)"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_endings(run: Run, name: str) -> None:
    source = PROGRAMS[name]
    command = [sys.executable, "-X", "utf8", "-c", source]
    real = subprocess.run(command, input=STDIN, capture_output=True, timeout=60)
    found = run(source, entry="", stdin=STDIN)
    code = found.code if found.kind in ("exited", "left") else int(found.kind == "raised")
    assert (found.output, code & 0xFF) == (real.stdout, real.returncode), found


def test_codes_are_those_of_interpreters(run: Run) -> None:
    for code, expected in ((256, 256), (-1, -1), (2**31, -(2**31)), (2**63, -1), (-(2**63), -1)):
        assert run(f"raise SystemExit({code})", entry="").code == expected


def test_a_detached_stdout(run: Run) -> None:
    found = run("import sys\nsys.stdout.detach().write(b'x')", entry="")
    assert (found.kind, found.output) == ("ended", b"x")


def test_endless_output_ends_before_the_deadline(run: Run) -> None:
    found = run("while True: print('x' * 1000)", entry="", deadline=600.0, stdout=5)
    assert (found.kind, found.output) == ("flooded", b"xxxxx")


def test_modules_that_cannot_be_imported() -> None:
    with pytest.raises(UsageError, match="CPython cannot import no_such_module"):
        layers_of(Fallback(modules=("attr", "no_such_module")))
