"""The handled exception: sys.exc_info(), a bare `raise` and contexts, as in CPython."""

from __future__ import annotations

import random

from porter.run import Device
from tests.library.compare import assert_alike

NOW = """\
import sys
def now():
    kind, value, tb = sys.exc_info()
    assert (kind is None) == (value is None)
    return value if value is None else repr(value)

def quiet():
    try:
        1 / 0
    except ZeroDivisionError:
        return now()

def clean():
    try:
        pass
    finally:
        pass

"""

PLACES = (
    NOW
    + """\
print(now(), quiet(), now())
try:
    raise KeyError(1)
except KeyError:
    print(now(), quiet(), now()); clean(); print(now())
    try:
        raise ValueError(2)
    except ValueError:
        print(now(), quiet(), now())
    print(now())
    for x in iter(quiet, 5):
        print(x, now())
        break
    print([now() for i in range(2)], list(map(lambda x: now(), "a")))
    print(sorted([3, 1], key=lambda x: (now(), x)))
    with open_() if False else __import__("contextlib").suppress(IndexError):
        [][1]
    print(now())
print(now())
def again():
    raise
try:
    try:
        raise KeyError("a")
    except KeyError:
        quiet()
        again()
except KeyError as e:
    print(repr(e), now())
try:
    again()
except RuntimeError as e:
    print(e)
class It:
    def __iter__(self): return self
    def __next__(self): raise StopIteration
for x in It(): pass
print(now())
class H:
    @property
    def p(self): raise AttributeError("x")
print(hasattr(H(), "p"), getattr(H(), "p", 1), now())
def gen():
    print("start", now())
    try:
        raise IndexError("g")
    except IndexError:
        yield now()
        print("back", now())
        yield now()
    print("after", now())
    yield now()
g = gen()
print(next(g), now())
try:
    raise KeyError("k")
except KeyError:
    print(next(g), now())
    print(next(g), now())
print(now())
def returns():
    try:
        raise KeyError("r")
    except KeyError:
        return now()
print(returns(), now())
def breaks():
    for i in range(2):
        try:
            raise KeyError(i)
        except KeyError:
            if i == 0: continue
            break
    return now()
print(breaks(), now())
def finals():
    try:
        raise KeyError("f")
    finally:
        print("finally", now())
try:
    finals()
except KeyError:
    print(now())
try:
    try:
        raise KeyError("in")
    finally:
        print(now())
        quiet()
        print(now())
except KeyError:
    pass
def nested(n):
    try:
        raise ValueError(n)
    except ValueError:
        if n:
            nested(n - 1)
        return now()
print(nested(5), now())
import traceback
try:
    raise KeyError("t")
except KeyError:
    quiet()
    print(traceback.format_exc().splitlines()[-1])
    traceback.print_exc(file=sys.stdout) if False else None
class CM:
    def __enter__(self): return self
    def __exit__(self, kind, value, tb):
        print("exit", kind.__name__ if kind else None, now())
        quiet()
        print("exit", now())
        return True
with CM():
    raise KeyError("w")
print(now())
with CM():
    pass
"""
)


def test_places(any_device: Device) -> None:
    assert_alike(any_device, PLACES)


def test_contexts(any_device: Device) -> None:
    assert_alike(
        any_device,
        NOW
        + """\
def show(e):
    out = []
    while e is not None:
        out.append(repr(e))
        e = e.__context__
    print(out)
def attempt(f):
    try:
        f()
    except Exception as e:
        show(e)
def a():
    try:
        raise KeyError("a")
    except KeyError:
        quiet()
        raise ValueError("b")
attempt(a)
def b():
    try:
        raise KeyError("a")
    except KeyError:
        def key(x):
            quiet()
            raise IndexError(x)
        sorted([1], key=key)
attempt(b)
def c():
    def gen():
        yield 1
        raise TypeError("gen")
    g = gen()
    next(g)
    try:
        raise KeyError("c")
    except KeyError:
        next(g)
attempt(c)
def d():
    try:
        a()
    except ValueError:
        quiet()
        raise
attempt(d)
""",
    )


STATEMENTS = [
    "out.append(now())",
    "quiet()",
    "clean()",
    "f{n}(out, depth + 1)",
    "raise KeyError('{n}')",
    "raise",
    "1 / 0",
    "out.append(sum(1 for x in [now()]))",
    "list(g(out))",
    "if depth > 1: return",
]


CLAUSES = [
    "except KeyError:",
    "except Exception:",
    "except (KeyError, ZeroDivisionError) as e:",
    "finally:",
]


def body(rng: random.Random, names: int, depth: int) -> list[str]:
    """Return the lines of a random block of statements."""
    lines = []
    for _ in range(rng.randint(1, 3)):
        if depth < 3 and rng.random() < 0.4:
            lines.append("try:")
            lines += ["    " + line for line in body(rng, names, depth + 1)]
            kind = rng.choice(
                [
                    "except KeyError:",
                    "except Exception:",
                    "finally:",
                    "except (KeyError, ZeroDivisionError) as e:",
                ]
            )
            lines.append(kind)
            lines += ["    " + line for line in body(rng, names, depth + 1)]
        else:
            lines.append(rng.choice(STATEMENTS).format(n=rng.randrange(names)))
    return lines


def test_random_programs(any_device: Device) -> None:
    for seed in range(25):
        rng = random.Random(seed)
        program = [NOW, "def g(out):\n    try:\n        raise IndexError\n    except IndexError:\n"]
        program.append("        yield 1\n        out.append(now())\n")
        for number in range(4):
            program.append(f"def f{number}(out, depth=0):\n    if depth > 3: return\n")
            program += ["    " + line + "\n" for line in body(rng, 4, 0)]
            program.append("    out.append(now())\n")
        for number in range(4):
            program.append(f"out = []\ntry:\n    f{number}(out)\nexcept Exception as e:\n")
            program.append("    out.append((repr(e), repr(e.__context__)))\nprint(out, now())\n")
        assert_alike(any_device, "".join(program))
