"""Dicts keep the order in which keys were inserted, like CPython's, after any changes."""

from __future__ import annotations

import random

import pytest

from porter.run import Device
from tests.library.compare import assert_alike, printed

KEYS = ["i", "i * 1000003", "str(i)", "(i, i)", "-i - 0.5", "names[i % 60]"]


def _changes(source: random.Random, steps: int, keys: str) -> list[str]:
    """Return statements that change the dict `d` at random."""
    lines = []
    wide = source.choice([6, 12, 40, 300])
    for _ in range(steps):
        i = source.randint(0, wide)
        key = keys.replace("i", str(i)) if keys == "i" else f"key({i})"
        lines.append(
            source.choice(
                [f"d[{key}] = {i}"] * 5
                + [f"d.pop({key}, None)"] * 3
                + [f"d.setdefault({key}, 0)", "d and d.popitem()", f"d.update({{{key}: 1}})"]
                + ["d = d.copy()", "d = dict(d)", "d = {k: v for k, v in d.items()}"] * (i == 3)
                + ["d.clear()"] * (i == 5 and source.random() < 0.1)
            )
        )
    return lines


@pytest.mark.parametrize("seed", range(6))
def test_random_changes(any_device: Device, seed: int) -> None:
    source = random.Random(seed)
    keys = KEYS[seed % len(KEYS)]
    lines = ["names = ['n%d' % i for i in range(60)]", f"def key(i): return {keys}", "d = {}"]
    for _ in range(12):
        lines += _changes(source, 60, "key")
        lines.append("print(list(d.items()), list(d), list(d.values()), len(d))")
        lines.append("print([d.get(key(i), 'no') for i in range(0, 300, 7)])")
    assert_alike(any_device, "\n".join(lines))


def test_queues_and_stacks(any_device: Device) -> None:
    assert_alike(
        any_device,
        """\
d = {}
for i in range(3000):
    d[i] = i
    if i >= 40:
        del d[i - 40]
print(list(d))
d = {}
for i in range(30):
    d[i] = 0
for i in range(3000):
    d["x", i] = i
    if i % 3:
        print(d.popitem()[0] if i % 500 == 1 else d.popitem() and "", end="")
print(len(d), list(d)[-5:])
for i in range(300):
    d["y"] = 1
    del d["y"]
print(len(d), "y" in d, list(d)[:3])
from collections import OrderedDict
o = OrderedDict((str(i), i) for i in range(50))
for i in range(0, 50, 3):
    del o[str(i)]
o["0"] = 1
print(list(o.items()), o.popitem(), len(o))
""",
    )


def test_other_dicts(any_device: Device) -> None:
    assert_alike(
        any_device,
        """\
import json
def f(**kwargs): return kwargs
print(f(zeta=1, alpha=2, mid=3, beta=4, e=5, d=6, c=7, b=8, a=9, z=10))
print(f(**{"q": 1, "b": 2}, a=3))
class C:
    zeta = 1
    def alpha(self): pass
    beta = 2
print([name for name in C.__dict__ if name[0] != "_"])
c = C()
c.y = 1; c.x = 2; c.w = 3
del c.x
c.x = 4
print(list(c.__dict__), c.__dict__)
print(json.dumps({"b": 1, "a": {"d": 1, "c": 2}}), json.loads('{"z": 1, "a": 2, "m": 3}'))
print({3: 1, 1: 2} == {1: 2, 3: 1}, dict.fromkeys("hello"), {**{"b": 1}, "a": 2})
print(dict([("x", 1), ("b", 2)], c=3), {"a": 1} | {"c": 2, "b": 3})
import sys
d = {i: str(i) for i in range(20)}
for k in list(d):
    if k % 2:
        del d[k]
d[1] = "again"
print(d, str(d) == repr(d))
print(sorted(d), max(d), list(reversed(list(d))))
""",
    )


def test_hashes_that_change_the_dict(any_device: Device) -> None:
    """A hash or comparison that changes the dict ends with an exception, or with a usable dict."""
    assert_alike(
        any_device,
        """\
class Key:
    def __init__(self, n): self.n = n
    def __hash__(self): return 1
    def __eq__(self, other): return isinstance(other, Key) and self.n == other.n
d = {Key(i): i for i in range(30)}
print(list(d.values()), d[Key(7)], d.pop(Key(29)), d.popitem()[1])
for i in range(0, 28, 2):
    del d[Key(i)]
d[Key(100)] = 100
print(list(d.values()), Key(3) in d, Key(4) in d)
class Bad:
    def __hash__(self): raise ValueError("hash")
for use in (lambda: d[Bad()], lambda: d.get(Bad()), lambda: {1: 2}.get([])):
    try:
        print(use())
    except (ValueError, TypeError) as error:
        print(type(error).__name__)
""",
    )


def test_hashes_that_change_the_dict_while_its_index_is_built(any_device: Device) -> None:
    """A hash function clears or fills the dict, up to 60 calls after the dict was filled.

    The values differ from CPython's, which stores each hash. An interpreter must not end, and all
    entries that it lists must be found.
    """
    output = printed(
        any_device,
        """\
class Key:
    def __hash__(self):
        global countdown
        countdown -= 1
        if countdown == 0:
            if change == "clear":
                d.clear()
            elif change == "fill":
                for i in range(12):
                    d[i] = i
            elif change == "pop":
                while d:
                    d.popitem()
            else:
                d.clear()
                for i in range(30):
                    d[i] = i
        return 0
for change in ("clear", "fill", "pop", "renew"):
    for n in (5, 9, 13):
        for start in range(1, 60):
            countdown = -1
            d = {Key(): 1 for i in range(n)}
            countdown = start
            try:
                for i in range(12):
                    d[Key()] = i
                    d.pop(i, 0)
            except RuntimeError:
                pass
            countdown = -1
            ok = len(list(d)) == len(d) and all(type(k) is Key or d[k] == k for k in list(d))
            if not ok:
                print(change, n, start, len(d), list(d))
print("done")
""",
    )
    assert output == "done\n"
