"""The name `syncthreads`: an instruction if it is not rebound, otherwise an ordinary name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from porter.base import paths
from porter.run import Device, Launch, run

OPCODE = 0x6F

# Programs, and the output of each of two interpreters of a block.
CASES = {
    "assigned": ("syncthreads = lambda: 7\nprint(syncthreads())", "7"),
    "parameter": ("def f(syncthreads):\n    return syncthreads()\nprint(f(lambda: 3))", "3"),
    "value": ("x = syncthreads\nprint(x(), x == syncthreads)", "None True"),
    "expression": (
        "print(syncthreads(), [syncthreads() for i in range(3)])",
        "None [None, None, None]",
    ),
    "lambda": ("f = lambda: syncthreads()\nprint(f())", "None"),
    "closure": (
        "def f():\n    syncthreads = lambda: 5\n    def g():\n        return syncthreads()\n"
        "    return g()\nprint(f())",
        "5",
    ),
    "global, named before": (
        "def f():\n    global syncthreads\n    syncthreads = lambda: 9\nf()\nprint(syncthreads())",
        "9",
    ),
    "global, in functions alone": (
        "def f():\n    return syncthreads()\ndef g():\n    global syncthreads\n"
        "    syncthreads = lambda: 8\ng()\nprint(f())",
        "8",
    ),
    "of earlier code": ("exec('syncthreads = lambda: 4')\nexec('print(syncthreads())')", "4"),
    "of locals": (
        "exec('print(syncthreads())', {}, {'syncthreads': lambda: 2})",
        "2",
    ),
    "of builtins": (
        "import builtins\nbuiltins.syncthreads = lambda: 6\nexec('print(syncthreads())')",
        "6",
    ),
    "loop variable": ("for syncthreads in [lambda: 1]:\n    print(syncthreads())", "1"),
    "method": (
        "class A:\n    def syncthreads(self):\n        return 'mine'\n"
        "print(A().syncthreads(), syncthreads())",
        "mine None",
    ),
    "class body": ("class A:\n    syncthreads = lambda: 3\n    x = syncthreads()\nprint(A.x)", "3"),
    "star": ("print(syncthreads(*[]), syncthreads(**{}))", "None None"),
    "argument": (
        "try:\n    syncthreads(1)\nexcept TypeError:\n    print('TypeError')",
        "TypeError",
    ),
    "attribute": (
        "try:\n    syncthreads().x\nexcept AttributeError:\n    print('AttributeError')",
        "AttributeError",
    ),
    "in a module": (
        "d = {}\nexec('def f():\\n    return syncthreads()', d)\nprint(d['f']())",
        "None",
    ),
    "code that was saved": (
        "import marshal\ndef f():\n    return syncthreads()\nb = marshal.dumps(f.__code__)\n"
        "g = marshal.loads(b)\nprint(exec(g), b'syncthreads' in b)",
        "None False",
    ),
    "shadowed code that was saved": (
        "import marshal\ndef f():\n    return syncthreads()\nsyncthreads = print\n"
        "print(b'syncthreads' in marshal.dumps(f.__code__))",
        "True",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_name(any_device: Device, name: str) -> None:
    program, expected = CASES[name]
    result = run(any_device, [program], 2, Launch(block=2))
    assert result.stdout[0] == expected.encode() + b"\n", result.stderr[0].decode()
    assert result.stdout[0] == result.stdout[1]


def _opcodes(header: Path) -> dict[str, int]:
    """Return every opcode number of a release's bc0.h, ranges included."""
    bases: dict[str, int] = {}
    for name, expression in re.findall(
        r"^#define (MP_BC_\w+) +\((.*?)\)", header.read_text(), re.M
    ):
        terms = [bases.get(term, term) for term in expression.split(" + ")]
        if all(isinstance(term, int) or re.fullmatch(r"0x[0-9a-f]+|\d+", term) for term in terms):
            bases[name] = sum(t if isinstance(t, int) else int(t, 0) for t in terms)
    return bases


@pytest.mark.parametrize(
    "header", sorted(paths.upstream_dir().glob("*/py/bc0.h")), ids=lambda p: p.parents[1].name
)
def test_no_release_has_the_number(header: Path) -> None:
    numbers = _opcodes(header)
    taken = {
        value
        for name, value in numbers.items()
        if not re.search("_BASE_|_MASK_|_FORMAT_|_NUM$|_EXCESS$|_MULTI$", name)
    }
    assert len(taken) > 60
    assert OPCODE not in taken
    # Opcodes with ranges begin above.
    assert min(value for name, value in numbers.items() if name.endswith("_MULTI")) > OPCODE
    text = (paths.templates_dir() / "port" / "mpconfigport.h.j2").read_text()
    offset = re.search(r"GPUSNEK_BC_SYNCTHREADS \(MP_BC_BASE_BYTE_E \+ (0x\w+)\)", text)
    assert offset is not None
    assert numbers["MP_BC_BASE_BYTE_E"] + int(offset[1], 0) == OPCODE
