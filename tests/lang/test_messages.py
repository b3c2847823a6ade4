"""Messages of exceptions that the interpreter raises: those of CPython."""

from __future__ import annotations

import random

from porter.run import Device
from tests.library.compare import assert_alike, printed

PRELUDE = """\
def f(x): pass
def g(*, k): pass
def h(a, b=2, *, c): pass
def p(a, /, b): pass
def three(x, y, z): pass
def none(): pass
class A: pass
instance = A()
unnamed = lambda x: 0

def message(call):
    try:
        call()
        print("no exception")
    except Exception as error:
        print(type(error).__name__, error)

"""
EXPRESSIONS = """
1 + 'a'
'a' + 1
[] + 1
() + []
b'' + 1
None + None
1()
instance()
1[0]
instance[0]
len(1)
f()
f(1, 2)
f(y=1)
f(1, x=2)
g(k=1, z=2)
g()
h(1)
h()
h(c=1)
p(a=1, b=2)
p()
three()
three(1)
three(1, 2)
three(x=1)
none(1)
none(1, 2)
unnamed()
[].x
(1).x
f.zz
None.x
undefined_name
[1][5]
'abc'[7]
(1,)[3]
[].pop()
[1].pop(5)
{}.popitem()
set().pop()
{}['k']
[1].index(2)
(1,).index(2)
'a'.index('b')
int('x')
int('12', 1)
float('x')
[][None]
()['a']
''['a']
max([])
min(())
1 < 'a'
[] >= 5
None < None
{[]: 1}
hash([])
{[]}
{{}}
-'a'
~1.5
+[]
abs('a')
1 / 0
0 % 1 / 0.0 if False else 1 / 0
chr(-1)
range(1, 2, 0)
'a' * 'b'
[1] * 'a'
'%s %s' % (1,)
'%s' % (1, 2)
int(float('inf'))
int(float('nan'))
'a' in 5
5 in 'abc'
[1, 2][::0]
pow(2, -1, 0)
1 & 1.5
1 << -1
divmod('a', 1)
1 ** 'a'
1 @ 2
bytes([300])
b'a' in 'b'
"""

STATEMENTS = """
a, b = 1,
a, b = 1, 2, 3
a, *b = ()
a, b, *c = 1,
x = [1]; x[5] = 1
x = [1]; x[-2] = 1
del [1][4]
(1,)[0] = 5
'a'[0] = 'b'
{1}.remove(5)
import nosuchmodule
from sys import nosuchname
raise 5
assert False
assert 0, 'msg'
for i in 1: pass
next(1)
raise
del undefined_name
setattr(1, 'x', 2)
"""


def test_expressions(any_device: Device) -> None:
    skipped = {"'a' in 5"}  # another text in later releases of CPython
    lines = [
        f"message(lambda: ({each}))"
        for each in EXPRESSIONS.split("\n")[1:-1]
        if each not in skipped
    ]
    lines = [line for line in lines if "max(" not in line and "min(" not in line]
    assert_alike(any_device, PRELUDE + "\n".join(lines) + "\n")


def test_statements(any_device: Device) -> None:
    lines = [f"message(lambda: exec({each!r}, globals()))" for each in STATEMENTS.split("\n")[1:-1]]
    assert_alike(any_device, PRELUDE + "\n".join(lines) + "\n")


OPERANDS = ["1", "2.5", "'s'", "[1]", "(1,)", "{1: 2}", "{1}", "None", "b'x'", "f"]
OPERATORS = [
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "**",
    "<<",
    ">>",
    "&",
    "|",
    "^",
    "<",
    "<=",
    ">",
    ">=",
    "@",
]


def test_operators(any_device: Device) -> None:
    lines = []
    for left in OPERANDS:
        for right in OPERANDS:
            for operator in OPERATORS:
                if operator == "%" and left in ("'s'", "b'x'"):
                    continue
                if (left, right) == ("b'x'", "'s'"):
                    continue  # upstream joins bytes and str
                if operator == "|" and left.startswith("{"):
                    continue  # dict.__or__ of upstream takes any iterable
                lines.append(f"message(lambda: {left} {operator} {right})")
    assert_alike(any_device, PRELUDE + "\n".join(lines) + "\n")


def test_signatures(any_device: Device) -> None:
    """Random functions are called with random arguments."""
    rng = random.Random(1)
    lines = []
    for number in range(300):
        names = list("abcdef")
        positional = [names.pop(0) for _ in range(rng.randrange(0, 4))]
        defaults = rng.randrange(0, len(positional) + 1)
        parts = [
            name + ("=0" if i >= len(positional) - defaults else "")
            for i, name in enumerate(positional)
        ]
        only = [names.pop(0) for _ in range(rng.randrange(0, 3))]
        if only:
            parts += ["*", *(name + ("=0" if rng.random() < 0.4 else "") for name in only)]
        given = [str(i) for i in range(rng.randrange(0, 5))]
        if len(given) <= len(positional):  # CPython looks at keyword arguments first
            chosen = [name for name in "abcdefg" if rng.random() < 0.2]
            given += [f"{name}=9" for name in chosen]
        lines.append(f"def f{number}({', '.join(parts)}): return locals and 5")
        lines.append(f"message(lambda: f{number}({', '.join(given)}))")
    assert_alike(any_device, PRELUDE + "\n".join(lines) + "\n")


def test_later_texts(any_device: Device) -> None:
    """Texts of CPython 3.12 and later."""
    program = PRELUDE + "message(lambda: max([]))\nmessage(lambda: min(()))\n"
    expected = (
        "ValueError max() iterable argument is empty\nValueError min() iterable argument is empty\n"
    )
    assert printed(any_device, program) == expected


# Functions and methods that upstream and CPython define with the same numbers of arguments.
COUNTED = """
len isinstance hasattr setattr getattr chr ord abs all any bin hex oct callable divmod hash id
issubclass repr delattr next
[].append [].clear [].insert [].pop [].count [].remove [].reverse [].copy [].index
{}.get {}.items {}.keys {}.values {}.clear {}.copy {}.popitem {}.pop {}.setdefault {}.fromkeys
set().add set().pop set().discard set().remove set().clear set().copy
''.join ''.upper ''.isdigit ''.zfill ''.partition ''.swapcase ''.strip ''.title
b''.isalpha bytearray().append bytearray().pop bytes.fromhex
().index ().count (1).bit_length (1.5).is_integer L().append L().insert
math.sin math.exp math.fmod math.atan2 math.isnan
"""


def test_counts_of_built_in_functions(any_device: Device) -> None:
    """Each function is called with 0 to 6 arguments, and with a keyword argument."""
    lines = ["import math", "class L(list): pass"]
    for name in COUNTED.split():
        for count in range(7):
            lines.append(f"count(lambda: {name}({', '.join('0' * count)}))")
        lines.append(f"count(lambda: {name}(zz=1))")
    counting = """
def count(call):
    try:
        call()
    except TypeError as error:
        text = str(error)
        if "expected" in text and "got" in text or "takes" in text:
            print(text)
    except Exception:
        pass
"""
    assert_alike(any_device, counting + "\n".join(lines) + "\n")
