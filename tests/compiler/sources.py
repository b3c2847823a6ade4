"""Python sources whose bytecode has every instruction, and the wide forms of operands."""

STATEMENTS = """
import sys, struct as s
from sys import version as v, path
from math import *
def plain(a, b=2, *rest, key, other=5, **names):
    del a
    a = b if key else other
    return rest, names, a or b, a and b, not a, -a, +a, ~b
class Base:
    x: int = 1
    def method(self, n):
        self.x += n
        return self
class Derived(Base):
    def method(self, n):
        super().method(n)
        del self.x
        self.y = self.z = n
        return super().method(n=1, *(), **{})
def closures(a, b=1):
    c = a
    def inner(d, e=b):
        nonlocal c
        c += d
        return lambda f=e: (a, c, f)
    def gone():
        nonlocal c
        del c
    return inner, gone
def handlers(items):
    for item in items:
        try:
            with open(item) as f, f:
                if item:
                    break
                continue
        except (ValueError, KeyError) as error:
            raise TypeError from error
        except OSError:
            raise
        else:
            pass
        finally:
            print(item)
    else:
        raise ValueError(1)
    while True:
        for i in range(3):
            try:
                return i
            finally:
                break
def generator(n):
    for i in range(n):
        x = yield i
        yield
    yield from generator(n)
async def coroutine(f):
    async with f as g:
        async for h in g:
            await h
def containers(a, *b):
    global total
    d = {1: 2, "two": a}
    d[1], d["two"] = d["two"], d[1]
    first, *middle, last = b
    total = {i for i in b} | {1, 2}
    del d[1], total
    a[1:2] = a[::3]
    return [i * j for i in b for j in b if i], {i: j for i, j in d.items()}
def comparisons(a, b, c):
    a @= b
    a **= c
    a //= b
    a <<= 1
    a >>= 2
    a %= 5
    a ^= b
    a &= c
    a |= 1
    a -= b
    a *= c
    a /= b
    return a < b <= c > a >= b == c != a, a in b, a not in c, a is b, a is not b, (
        a @ b, a ** b, a // b, a << b, a >> b, a % b, a ^ b, a & b, a | b, a - b, a + b, a / b)
del s, v
plain(1, *[2], key=3, **{})
sys.exit(plain(1, 2, key=[1][0], other=...)) if path else None
"""

# Operands of more than a byte: numbers, names, variables, positions of jumps.
WIDE = "\n".join(
    [
        "def many():",
        *(f"    a{i} = {i}" for i in range(200)),
        *(f"    name{i}(a{i})" for i in range(200)),
        "def jumps(a):",
        "    while a:",
        *("        a = [a, a, a, a, a, a, a, a, a, a]" for _ in range(300)),
        "        if a: break",
        "    for i in a:",
        *("        a = [a, a, a, a, a, a, a, a, a, a]" for _ in range(300)),
        "def cells():",
        *(f"    c{i} = {i}" for i in range(150)),
        "    return lambda: (" + ", ".join(f"c{i}" for i in range(150)) + ")",
        "numbers = "
        + ", ".join(
            str(sign * (1 << bit) + add)
            for bit in range(46)
            for sign in (1, -1)
            for add in (-1, 0, 1)
        ),
        "# a line far away" + "\n" * 3000,
        "last = 1",
        "first = 2;" * 40,
        "\n" * 130,
        "f(" + "1," * 300 + ")",
    ]
)

CONSTANTS = """
for h in 1.5, 2j, b"bytes", 1 << 70: print([1.5], [2j], [b"bytes"], [12345678901234567890123])
a = 1.5, 1e300, 2j, b"bytes", "a text that is too long to be a name, so that it is an object"
b = 123456789012345678901234567890, -(1 << 70), (1, (2.5, "x", None, False, True, ...), b"")
c = ..., None, True, (), ((),)
d = True
e = False
f = "text"
g = f"{a} and {b!r}"
"""

EMPTY = ""
