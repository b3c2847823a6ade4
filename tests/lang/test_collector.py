"""Objects that C references only by the address of a member survive a collection."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run

JUNK = """
import gc
def churn():
    gc.collect()
    return [bytearray(b'\\xff' * n) for n in (16, 32, 64, 96, 128)]
"""

# Programs whose callbacks collect in the middle of a C operation, and their output.
CASES = {
    "pattern of re.sub": (
        "import re\ndef f(m):\n    churn()\n    return str(int(m.group(0)) * 2)\n"
        "print(re.sub('[0-9]+', f, '10 20 30 40 50'))",
        "20 40 60 80 100",
    ),
    "match of re.sub": (
        "import re\ndef f(m):\n    churn()\n    return m.group(2) + m.group(1)\n"
        "print(re.sub('(.)(.)', f, 'abcdef'))",
        "badcfe",
    ),
    "keys of sorted": (
        "def key(x):\n    churn()\n    return -x\nprint(sorted([x for x in range(6)], key=key))",
        "[5, 4, 3, 2, 1, 0]",
    ),
    "text of format": (
        "class A:\n    def __str__(self):\n        churn()\n        return 'a' * 40\n"
        "print(len('{:>50}|{}'.format(str(A()), A())))",
        "91",
    ),
    "stream of json": (
        "import io, ujson as json\nclass S(io.IOBase):\n"
        "    def __init__(self):\n        self.got = b''\n"
        "    def write(self, b):\n        churn()\n        self.got += bytes(b)\n"
        "        return len(b)\n"
        "s = S()\njson.dump({'k' + str(3): [1.5, 'x' * 20]}, s)\nprint(s.got.decode())",
        '{"k3": [1.5, "' + "x" * 20 + '"]}',
    ),
    "middle of a large block": (
        "import re\ndef f(m):\n    churn()\n    return ''\n"
        "print(len(re.sub('[a-h]' * 60, f, 'abcdefgh' * 50)))",
        "40",
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("stress", [False, True])
def test_callbacks_that_collect(any_device: Device, name: str, stress: bool) -> None:
    program, expected = CASES[name]
    launch = Launch(heap=64 << 10, gc_stress=stress)
    result = run(any_device, [JUNK + program], 2, launch)
    assert result.stdout[0] == expected.encode() + b"\n", result.stderr[0].decode()
    assert result.stdout[0] == result.stdout[1]
