"""The fast path before upstream's switch (templates/port/vm_fast.h) agrees with CPython."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from porter.base import process
from porter.run import Device, Launch, run
from porter.sync.store import synced_releases
from tests.cpython import cpython

if TYPE_CHECKING:
    from porter.pipeline import Build

# 2**46 is the first integer that does not fit the object word; 2**31 and 2**15 bound short forms.
OPERANDS = """\
VALUES = [0, 1, -1, 2, 3, 7, -7, 13, 14, 15, 46, 47, 63, 64, 2**15, 2**31 - 1, 2**31, -2**31,
    -2**31 - 1, 2**45, 2**46 - 1, 2**46, -2**46, -2**46 - 1, 2**62, 0.0, 0.5, -1.5, 1e300, -1e-300,
    float('inf'), float('-inf'), True, False, None, 'a', (1,)]
"""

COMPARISONS = ["<", ">", "<=", ">=", "==", "!=", "is"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", *COMPARISONS]

# Shifts by more than this print numbers that exceed the heap.
MATRIX = """\
bad = 0
for a in VALUES:
    for b in VALUES:
        if not (OP in ('<<', '>>') and isinstance(b, int) and b > 64):
            try:
                r = a @ b
                if isinstance(r, float):  # the bits: how many digits are printed differs
                    r = pack('<d', r) if r == r else 'nan'
                bad = (bad * 31 + hash_of(r)) % 1000003
            except Exception as error:
                bad = (bad * 37 + len(type(error).__name__)) % 1000003
print(OP, bad)
"""

HASH = """\
from struct import pack
def hash_of(r):
    total = 7
    for c in str(r):
        total = (total * 33 + ord(c)) % 1000003
    return total
"""

PROGRAMS = {
    "for": "x = [3, 1, 2]\nfor a in x:\n    for b in range(a):\n        print(a, b)\n"
    "for a in []:\n    print('none')\nelse:\n    print('else')\n"
    "for a in x:\n    if a < 3:\n        break\nelse:\n    print('never')\nprint(a)\n"
    "for a in x:\n    if len(x) < 6:\n        x.append(a + 10)\nprint(x)\n"
    "for a in x:\n    x.clear()\nprint(a)\n"
    "for r in (range(5, 0, -2), range(0, 5, 3), range(-2, 2), range(3, 3)):\n"
    "    for i in r:\n        print(i)\nfor i in range(2**45, 2**45 + 2):\n    print(i)\n",
    "other iterators": "for c in 'ab':\n    print(c)\nfor t in (1, (2,)):\n    print(t)\n"
    "for k in {'k': 1}:\n    print(k)\nfor p in enumerate([7, 8]):\n    print(p)\n"
    "def g():\n    yield from [1, 2]\nfor v in g():\n    print(v)\n"
    "for v in map(lambda v: v * 2, [1, 2]):\n    print(v)\n"
    "class C:\n    def __iter__(self):\n        return iter([5, 6])\n"
    "for v in C():\n    print(v)\nclass L(list):\n    pass\nfor v in L([1, 2]):\n    print(v)\n"
    "def h():\n    for v in [1, 2, 3]:\n        yield v\n    for v in range(2):\n        yield v\n"
    "print(list(h()))\n",
    "comprehensions": "def f(k):\n    return [k * i for i in range(20) if i % 3], "
    "{i: k for i in range(3)}, sorted({i % 2 + k for i in [1, 2, 3]})\nprint(f(3))\n"
    "print([[i + j for j in [1, 2]] for i in range(3)])\n",
    "cells": "def outer():\n    n = 0\n    def inc():\n        nonlocal n\n        n += 1\n"
    "        return n\n    inc()\n    return inc() + n\nprint(outer())\n"
    "def late():\n    def get():\n        return v\n    try:\n        get()\n"
    "    except NameError:\n        print('unbound')\n    v = 4\n    return get()\nprint(late())\n",
    "unpack": "for a, b in [(1, 2), [3, 4]]:\n    print(a, b)\na, b, c, d = [1, 'x', (), None]\n"
    "print(a, b, c, d)\n(a, (b, c)), d = (1, [2, 3]), 4\nprint(a, b, c, d)\n"
    "a, b = 'yz'\nprint(a, b)\n"
    "for bad in ([1], (1, 2, 3), 5):\n    try:\n        a, b = bad\n"
    "    except (ValueError, TypeError) as e:\n        print(type(e).__name__)\n"
    "(a,) = [9]\nprint(a)\n",
    "unary": "for v in (0, 5, -5, 2**31, -2**31, 2**46 - 1, -2**46, 1.5, -0.0, True):\n"
    "    print(-v, not v)\nprint(not 'a', not '', not [0])\n",
    "and or": "for a in (0, 1, '', 'a', 1.5, [], None):\n"
    "    print(a and 1, a or 2, (a or 0) and 3, not a or a)\n",
    "delete": "x = [1, 2, 3]\ndel x[0]\nprint(x)\nd = {1: 2}\ndel d[1]\nprint(d)\n",
    "names": "a = 1\nb = 2\nfor i in range(300):\n    a, b = b, a + 1\n    c = a\nprint(a, b, c)\n",
    "deleted name": "a = 1\ndel a\ntry:\n    a\nexcept NameError:\n    print('gone')\n"
    "a = 2\nprint(a)\n",
    "builtins": "n = 0\nfor i in range(5):\n    n += len('abc')\nlen = 3\nprint(n, len)\n",
    "class body": "x = 1\nclass A:\n    x = 2\n    y = x + 1\nprint(A.x, A.y, x)\n",
    "exec": "g = {'a': 1}\nexec('b = a + 1', g)\nprint(g['b'])\n",
    "truth": "for v in (0, 1, '', 'a', None, [], [0], 0.0, 0.5, True, False, {}, ()):\n"
    "    print('yes' if v else 'no', not v)\n",
    "unbound": "def f():\n    if False:\n        x = 1\n    return x\n"
    "try:\n    f()\nexcept NameError as e:\n    print('unbound')\n",
    "many locals": "def f(a):\n    "
    + "; ".join(f"v{i} = a + {i}" for i in range(24))
    + "\n    return "
    + " + ".join(f"v{i}" for i in range(24))
    + "\nprint(f(3))\n",
    "index": "x = [1, 2, 3]\nt = (4, 5)\nb = bytearray(b'abc')\n"
    "print(x[-1], t[1], t[-2], b[2], b[-3])\n"
    "for c, i in ((x, 3), (t, 2), (b, 9), (x, -4)):\n    try:\n        c[i]\n"
    "    except IndexError:\n        print('out')\n",
    "store": "x = [0] * 4\nfor i in range(4):\n    x[i] = i * i\nx[-1] = 'z'\nprint(x)\n"
    "b = bytearray(3)\nb[1] = 255\ntry:\n    t = (1,)\n    t[0] = 2\nexcept TypeError:\n"
    "    print('tuple')\nprint(b)\n",
    "array": "from array import array\na = array('f', [0.5, 1.5])\na[1] = 3\n"
    "d = array('d', [0.25])\n"
    "i = array('i', [-5, 7])\nprint(a[0], a[1], d[0], i[0], i[1])\n",
    "readonly": "m = memoryview(b'abc')\nprint(m[1], m[1:][1])\ntry:\n    m[0] = 1\n"
    "except TypeError:\n"
    "    print('read only')\n",
    "nan bits": "import struct\nfrom array import array\n"
    "for bits in (b'\\xff' * 7 + b'\\x7f', b'\\xff' * 8, b'\\1' * 6 + b'\\xf4\\x7f'):\n"
    "    x = struct.unpack('<d', bits)[0]\n    y = array('d', bits)[0]\n"
    "    print(type(x), x != x, x, y, y + 1, -y)\n",
    "nan": "n = float('nan')\nprint(n == n, n < n, n != n, n > 1, 1 > n)\n",
    "subclass": "class I(int):\n    def __add__(self, o):\n        return 'added'\n"
    "class L(list):\n    def __getitem__(self, i):\n        return 'got'\n"
    "print(I(1) + 1, L([1])[0])\n",
    "attributes": "class A:\n    c = 5\n    def __init__(self):\n        self.x = 1\n"
    "    def m(self):\n        return self.x\n    @staticmethod\n    def s():\n        return 's'\n"
    "    @classmethod\n    def k(cls):\n        return cls.c\n"
    "class B(A):\n    def n(self):\n        return self.m() + 1\n"
    "a, b = A(), B()\nfor i in range(3):\n    a.x += b.n()\n    b.x = a.x\n"
    "    print(a.x, b.x, a.c, b.s(), b.k(), a.m())\n"
    "b.m = lambda: 'own'\nprint(b.m(), b.n() if False else 0)\ndel b.m\nprint(b.m())\n"
    "A.m = lambda self: 'new'\nprint(a.m(), b.m())\ndel b.x\n"
    "try:\n    b.x\nexcept AttributeError:\n    print('gone')\n"
    "A.y = 7\nprint(b.y)\nb.y = 8\nprint(b.y, A.y, a.__class__().x)\n",
    "accessors": "class P:\n    def __init__(self):\n        self.v = 1\n    @property\n"
    "    def w(self):\n        return self.v * 2\n    @w.setter\n    def w(self, v):\n"
    "        self.v = v\n    def __getattr__(self, name):\n        return name\n"
    "p = P()\nfor i in range(3):\n    p.w = i\n    print(p.w, p.v, p.other, p.w)\n",
    "methods": "import math\nx = []\nfor i in range(3):\n    x.append(i)\n    s = 'a b'.split()\n"
    "    print(x, s, math.floor(i + 0.5), ' '.join(s), x.index(i), {1: 2}.get(1))\n"
    "class F:\n    f = len\n    g = [].append\nprint(F().f('abc'))\n"
    "try:\n    x.nothing()\nexcept AttributeError:\n    print('none')\n"
    "class It:\n    def __iter__(self):\n        return self\n    def __next__(self):\n"
    "        return 4\nprint(It().__next__(), next(It()))\n",
    "instances of builtins": "class L(list):\n    def append(self, x):\n"
    "        super().append(x * 2)\nq = L()\nq.append(3)\nq.extend([1])\nprint(q)\n"
    "class E(Exception):\n    pass\ne = E(1)\ne.note = 2\nprint(e.note, e.args)\n",
    "a large class": "class A:\n    def f(self):\n        return 'A'\n"
    "names = {'v%d' % i: i for i in range(200)}\nnames['f'] = lambda self: 'B'\n"
    "B = type('B', (A,), names)\nprint(B().f(), B().v3)\n",
    "multiple bases": "class A:\n    def f(self):\n        return 'A'\nclass B:\n"
    "    def g(self):\n        return 'B'\nclass C(A, B):\n    pass\nclass D(C):\n    pass\n"
    "print(D().f(), D().g())\n",
    "counting": "for n in (3, 2**31 - 1, 2**31, 2**46 - 2):\n    n += 1\n    print(n, n - 5)\n"
    "k = 0\nend = 5\nfor i in range(end):\n    i = 100\n    k += 1\nprint(i, k)\n"
    "for i in range(-3, k):\n    k += i\nprint(k)\n"
    "for i in range(2 ** 31 - 2, 2 ** 31 + 2):\n    print(i)\n"
    "for i in range(5, 0, -2):\n    print(i)\n",
    "loops": "n = 0\nwhile True:\n    n += 1\n    if n % 2:\n        continue\n"
    "    if n > 1000:\n        break\n"
    "print(n)\n",
    "long jump": "n = 0\nfor i in range(3):\n" + "    n += 1; n -= 1; n += i\n" * 60 + "print(n)\n",
}


def check(device: Device, program: str) -> None:
    result = run(device, [program], 33, Launch(heap=32768))
    assert not result.status.any(), result.stderr.groups[0].text.decode()
    assert [group.text for group in result.stdout.groups] == [cpython(program)]


# A comparison has no in-place form.
FORMS = [("r = a @ b", operator) for operator in OPERATORS] + [
    ("r = a; r @= b", operator) for operator in OPERATORS if operator not in COMPARISONS
]


@pytest.mark.parametrize(("form", "operator"), FORMS)
def test_operators(any_device: Device, operator: str, form: str) -> None:
    text = OPERANDS + HASH + f"OP = {operator!r}\n" + MATRIX.replace("r = a @ b", form)
    if operator in ("*", "**", "<<"):
        text = text.replace(" 'a', (1,)]", " None]")  # 'a' * 2**31 needs the memory
    if operator in ("&", "|", "^"):
        text = text.replace("True, False, ", "")  # upstream: True & True is 1
    if operator == "is":
        text = text.replace("VALUES = [", "VALUES = [None, True, False, 1] + 0 * [")
    if operator == "%":
        text = text.replace("'a', (1,)", "(1,)")
    check(any_device, text.replace("@", operator))


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(any_device: Device, name: str) -> None:
    check(any_device, PROGRAMS[name])


def functions(unit: Path) -> set[str]:
    """Return the functions of an object file, including static ones."""
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection

    with unit.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        symbols = list(table.iter_symbols())
    return {symbol.name for symbol in symbols if symbol["st_info"]["type"] == "STT_FUNC"}


def test_the_loop_calls_none_of_its_functions(built: Build) -> None:
    folder = built.sources / "host" / "obj"
    assert "list_clear" in functions(folder / "py_objlist.o")  # static names are not mangled
    assert "mp_execute_bytecode" in functions(folder / "py_vm.o")
    own = {name.partition(".")[0] for name in functions(folder / "py_vm.o")}
    assert {name for name in own if name.startswith("vm_")} <= {"vm_chain"}  # it is rarely called


@pytest.mark.campaign("releases")
@pytest.mark.parametrize("release", synced_releases())
def test_a_nan_of_any_bits_in_each_release(release: str, tmp_path: Path) -> None:
    text = PROGRAMS["nan bits"]
    program = tmp_path / "nan.py"
    program.write_text(text)
    # In a separate process: if such bits were read as a pointer, a signal would end it.
    porter = [sys.executable, "-m", "porter", "run", "--release", release]
    done = process.run([*porter, program, "--target", "host", "-n", "1"], timeout=600)
    assert done.stdout.encode() == cpython(text)
