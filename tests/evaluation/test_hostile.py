"""Programs that cheat, break out or never end affect only their own row."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from porter import evaluate
from porter.evaluation import CaseStatus
from porter.fs import Image
from porter.run import Device

from ..bounds_checks.conftest import fenced as fenced
from .conftest import Judge

GOOD = "def solve(x):\n    return [x, x * x]\n"
CASES = [((k,), [k, k * k]) for k in (3, 5, 70_000)]
PASSED, WRONG, RAISED, EXITED, SYNTAX, NO_ENTRY, STEPS, TIME, MEMORY, OUTPUT, BROKEN, *_ = (
    CaseStatus
)

# A description of each attempt, and the expected status of all of its calls.
CHEATS: dict[str, tuple[str, set[int]]] = {
    "equal to everything": (
        "class E:\n def __eq__(self, o): return True\n def __ne__(self, o): return False\n"
        " def __hash__(self): return 0\n def __len__(self): return 2\n"
        " def __getitem__(self, i): return self\n def __iter__(self): return iter((self, self))\n"
        "def solve(x): return E()",
        {WRONG},
    ),
    "a list of it": (
        "class E:\n def __eq__(self, o): return True\ndef solve(x): return [E(), E()]",
        {WRONG},
    ),
    "a list that compares": (
        "class L(list):\n def __eq__(self, o): return True\ndef solve(x): return L([x, x])",
        {WRONG},
    ),
    "an int that compares": (
        "class I(int):\n def __eq__(self, o): return True\ndef solve(x): return [I(x), I(x)]",
        {WRONG},
    ),
    "prints a verdict": (
        "def solve(x):\n print('PASSED', [x, x * x], True)\n return True",
        {WRONG},
    ),
    "exits well": ("import sys\ndef solve(x): sys.exit(0)", {EXITED}),
    "exits at once": ("raise SystemExit(0)", {EXITED}),
    "raises what it should return": ("def solve(x): raise StopIteration([x, x * x])", {RAISED}),
    "redefines builtins": (
        "import builtins\ndef yes(*a, **k): return True\n"
        "for n in ('all', 'any', 'isinstance', 'len', 'type', 'map', 'zip', 'sorted', 'print'):\n"
        "  setattr(builtins, n, yes)\ndef solve(x): return None",
        {WRONG},
    ),
    "replaces modules": (
        "import sys\nfor n in ('builtins', 'sys', 'marshal', 'gc', '__main__', 'io'):\n"
        "  sys.modules[n] = None\ndef solve(x): return None",
        {WRONG},
    ),
    "clears its globals": ("def solve(x):\n globals().clear()\n return 1", {WRONG}),
    "has no globals": ("def solve(x): return 1\nglobals().clear()", {NO_ENTRY}),
    "entry is not callable": ("solve = [1, 2]", {NO_ENTRY}),
    "entry is a class": ("class solve:\n def __init__(self, x): pass", {WRONG}),
    "entry vanishes when asked for": (
        "class G:\n def __getattr__(self, n): raise SystemExit\nsolve = G()",
        {NO_ENTRY, EXITED},
    ),
    "lists its globals for what is expected": (
        "def solve(x):\n for v in list(globals().values()):\n"
        "  if isinstance(v, (list, bytes, tuple)): return v\n return [x]",
        {WRONG},
    ),
    "looks through memory": (
        "import gc\ndef solve(x):\n gc.collect()\n b = bytearray(8000)\n"
        " w = bytes(str(x * x), 'utf-8')\n if w in b: return [x, x * x]\n return [x]",
        {WRONG, MEMORY},
    ),
    "reads memory at addresses": (
        "import uctypes\ndef solve(x):\n a = uctypes.addressof(bytearray(8))\n"
        " try: return list(uctypes.bytes_at(a + 4096, 64))\n except OSError: return 1",
        {WRONG},
    ),
    "writes memory at addresses": (
        "import uctypes\ndef solve(x):\n uctypes.bytearray_at(id(solve), 4096)[:] = bytes(4096)",
        {RAISED},
    ),
    "forges objects": (
        "import struct\ndef solve(x): return struct.unpack('O', struct.pack('Q', 1 << 20))[0]",
        {RAISED},
    ),
    "loads code": (
        "import marshal\ndef solve(x): return marshal.loads(b'M\\x06\\x00\\x1f' + bytes(40))",
        {RAISED},
    ),
    "atomics on its neighbours": (
        "import array, gpu\ndef solve(x):\n a = array.array('q', [0])\n"
        " gpu.atomic_add(a, 1 << 40, 1)\n return 1",
        {RAISED},
    ),
    "looks for files": ("def solve(x): return open('expected').read()", {RAISED}),
    "mounts memory": (
        "import os\ndef solve(x):\n b = VRAMBlockDevice(512, 64)\n os.VfsLfs2.mkfs(b)\n"
        " os.mount(b, '/')\n return 1",
        {RAISED, WRONG, MEMORY},
    ),
    "judges itself at exit": (
        "import sys\nsys.atexit(lambda: print('PASSED'))\ndef solve(x): return 1",
        {WRONG},
    ),
    "finaliser": (
        "class D:\n def __del__(self):\n  while True: pass\ndef solve(x):\n D()\n return 1",
        {WRONG, STEPS},
    ),
    "locks the heap": (
        "import micropython\ndef solve(x):\n micropython.heap_lock()\n return 1",
        {WRONG, RAISED},
    ),
    "schedules": (
        "import micropython\ndef f(x):\n while True: pass\n"
        "def solve(x):\n micropython.schedule(f, 0)\n return [x, x * x]",
        {STEPS},
    ),
    "text for ever": (
        "class R:\n def __repr__(self):\n  while True: pass\ndef solve(x): return R()",
        {WRONG},
    ),
    "an exception's text for ever": (
        "class E(Exception):\n def __str__(self):\n  while True: pass\ndef solve(x): raise E()",
        {STEPS, RAISED},
    ),
    "changes what it is given": ("def solve(x, *a, **k):\n k['y'] = 1\n return k", {WRONG}),
    "too deep": ("def solve(x):\n a = []\n for i in range(500): a = [a]\n return a", {WRONG}),
    "holds itself": ("def solve(x):\n a = []\n a.append(a)\n return a", {WRONG}),
}
ENDLESS: dict[str, tuple[str, set[int]]] = {
    "loop": ("def solve(x):\n while True: pass", {STEPS}),
    "at once": ("while True: pass", {STEPS}),
    "except Exception": (
        "def solve(x):\n while True:\n  try:\n   while True: pass\n  except Exception: pass",
        {STEPS},
    ),
    "except BaseException": (
        "def solve(x):\n while True:\n  try:\n   while True: pass\n  except BaseException: pass",
        {STEPS},
    ),
    "bare except": (
        "def solve(x):\n while True:\n  try:\n   while True: pass\n  except: pass",
        {STEPS},
    ),
    "finally": ("def solve(x):\n try:\n  while True: pass\n finally:\n  while True: pass", {STEPS}),
    "finally returns": (
        "def solve(x):\n while True:\n  try:\n   while True: pass\n  finally: return [x, x * x]",
        {STEPS},
    ),
    "with": (
        "class C:\n def __enter__(s): pass\n def __exit__(s, *a): return True\n"
        "def solve(x):\n while True:\n  with C():\n   while True: pass",
        {STEPS},
    ),
    "generator": (
        "def g():\n while True:\n  try: yield 1\n  except BaseException: pass\n"
        "def solve(x):\n for i in g(): pass",
        {STEPS},
    ),
    "recursion": (
        "def solve(x):\n while True:\n  try: solve(x)\n  except RuntimeError: pass",
        {STEPS, MEMORY},
    ),
    "deep": ("def solve(x): return solve(x)", {MEMORY, STEPS}),
    "memory": ("def solve(x):\n a = [0]\n while True: a = a + a", {MEMORY}),
    "big numbers": ("def solve(x):\n n = x\n while True: n = n * n", {MEMORY, STEPS}),
    "in C": ("def solve(x): return sum(range(10**18))", {STEPS}),
    "prints": ("def solve(x):\n while True: print('x' * 100)", {STEPS}),
    "prints much": (
        "def solve(x):\n for i in range(20): print('x' * 1000)\n return [x, x * x]",
        {OUTPUT},
    ),
    "sleeps": ("import time\ndef solve(x):\n while True: time.sleep(1000)", {STEPS, TIME}),
    "regular expression": (
        "import re\ndef solve(x): return re.match('(a?)*' * 5 + 'b', 'a' * 300)",
        {STEPS, RAISED, MEMORY, WRONG},
    ),
}
NOT_PROGRAMS: dict[str, tuple[str | bytes, set[int]]] = {
    "nothing": ("", {NO_ENTRY}),
    "no Python": ("def solve(:", {SYNTAX}),
    "no UTF-8": (b"x = '\xff\xfe'\n", {NO_ENTRY, SYNTAX}),
    "zeros": (b"\0\0\0", {SYNTAX}),
    "long line": (
        "def solve(x): return " + "(" * 5000 + ")" * 5000,
        {SYNTAX, MEMORY, RAISED, WRONG},
    ),
    "long": ("x = 1\n" * 20_000, {NO_ENTRY, MEMORY}),
    "wrong arguments": ("def solve(): return 1", {RAISED}),
    "generator function": ("def solve(x): yield [x, x * x]", {WRONG}),
}
ZOO: dict[str, tuple[str | bytes, set[int]]] = {**CHEATS, **ENDLESS, **NOT_PROGRAMS}
# Products of integers that fill a larger heap take seconds.
LIMITS: dict[str, Any] = {"steps": 30_000, "max_heap": "192K"}
KEEP = ("values", "tracebacks", "outputs")


@pytest.mark.parametrize("each", ["case", "program"])
def test_the_zoo(judged: Judge, each: str) -> None:
    found = judged([text for text, _ in ZOO.values()], CASES, each=each, **LIMITS, keep=KEEP)
    wrong = {
        name: [CaseStatus(status).name for status in row]
        for (name, (_, ends)), row in zip(ZOO.items(), found.status, strict=True)
        if each == "case" and not set(row.tolist()) <= ends
    }
    assert wrong == {}
    assert not found.passed.any()


def test_fenced_too(fenced: Device) -> None:
    judged = partial(evaluate, device=fenced)
    limits = LIMITS | {"steps": 10_000}
    found = judged([text for text, _ in ZOO.values()], CASES[:1], keep="values", **limits)
    for (name, (_, ends)), row in zip(ZOO.items(), found.status, strict=True):
        assert set(row.tolist()) <= ends | {STEPS}, name
    assert judged([GOOD], CASES).solved.all()


def test_among_thousands_of_good_ones(judged: Judge) -> None:
    """The results of correct programs equal those without hostile neighbours, in every array."""
    good = [f"{GOOD}\nunused = {n}\n" for n in range(2000)]
    alone = judged(good, CASES, **LIMITS)
    assert alone.solved.all()
    zoo = [text for text, _ in ZOO.values()]
    places = np.linspace(0, len(good), len(zoo), dtype=int)
    mixed: list[str | bytes] = []
    is_good: list[bool] = []
    for n, program in enumerate(good):
        for k in np.flatnonzero(places == n).tolist():
            mixed.append(zoo[k])
            is_good.append(False)
        mixed.append(program)
        is_good.append(True)
    found = judged(mixed, CASES, **LIMITS)
    assert (found.status[is_good] == alone.status).all()
    assert (found.steps[is_good] == alone.steps).all()
    assert not found.passed[np.logical_not(is_good)].any()


def test_later_calls_do_not_see_what_was_expected_before(judged: Judge) -> None:
    """With one interpreter for all cases, a program sees only effects of its own calls."""
    program = (
        "seen = []\ndef solve(x):\n import gc\n gc.collect()\n"
        " found = [v for v in globals().values() if v is not seen and isinstance(v, (list, str))]\n"
        " seen.append(x)\n return [sorted(globals()), found]\n"
    )
    values = judged([program], [(([1],), "secret one"), (([2],), "secret two")], each="program",
                    keep="values").values  # fmt: skip
    assert values is not None and "secret" not in repr(values)
    assert values[0][1][0] == values[0][0][0]


def test_files_can_only_be_read(judged: Judge) -> None:
    image = Image.empty(64 << 10)
    image.write("data.txt", b"42")
    image.write("helper.py", b"def double(x): return 2 * x\n")
    programs = [
        "def solve():\n import helper\n return helper.double(int(open('data.txt').read()))",
        "def solve():\n with open('data.txt', 'w') as f: f.write('0')",
        "def solve():\n import os\n os.remove('/data.txt')",
        "def solve():\n import os\n os.umount('/')\n return open('data.txt').read()",
    ]
    found = judged(programs * 3, [((), 84)], files=image)
    assert found.status.ravel().tolist() == [PASSED, RAISED, RAISED, RAISED] * 3
