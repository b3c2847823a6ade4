"""Input by file descriptors, and ends of programs by name, as judges' programs use them."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run

READS = """\
import io, os
data = os.read(0, os.fstat(0).st_size)
lines = io.BytesIO(data)
print(os.fstat(0).st_size, lines.readline(), list(map(int, lines.readline().split())))
print(os.fstat(1).st_size, os.fstat(0)[6], os.read(0, 5))
try: os.fstat(7)
except OSError as error: print(error.errno)
"""
EXITS = {
    "print('a')\nexit()\nprint('b')": 0,
    "print('a')\nquit(3)\nprint('b')": 3,
    "import os\nprint('a')\nos._exit(4)": 4,
    "def f():\n    print('a')\n    exit(1)\ntry:\n    f()\nexcept Exception:\n    print('b')": 1,
}


def test_stdin_has_a_size(any_device: Device) -> None:
    result = run(any_device, [READS], 2, Launch(stdin=b"3\n1 2 3\n"))
    assert result.stdout[1] == b"8 b'3\\n' [1, 2, 3]\n0 8 b''\n9\n", result.stderr[1]


@pytest.mark.parametrize("source", EXITS)
def test_exit(any_device: Device, source: str) -> None:
    result = run(any_device, [source], 1)
    assert (result.stdout[0], int(result.exit_code[0])) == (b"a\n", EXITS[source])
