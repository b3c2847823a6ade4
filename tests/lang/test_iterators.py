"""Iterators: iter() with a sentinel, and dicts that change during an iteration, as in CPython."""

from __future__ import annotations

import random

from porter.run import Device
from tests.library.compare import ATTEMPT, assert_alike

SENTINEL = (
    ATTEMPT
    + """\
print(list(iter([1, 2, 3].pop, 1)))
it = iter([1, 2, 3, 2].pop, 3)
print(next(it), next(it, "end"), next(it, "end"), list(it), iter(it) is it)
class Counter:
    def __init__(self, end):
        self.n, self.end = 0, end
    def __call__(self):
        self.n += 1
        if self.n == self.end:
            raise StopIteration
        if self.n == 50:
            raise ValueError("too far")
        return self.n
c = Counter(4)
print(list(iter(c, None)), c.n)
it = iter(Counter(100), 5.0)
for x in it:
    print(x, end=" ")
print(next(it, "end"))
attempt(lambda: list(iter(Counter(100), "none")))
attempt(lambda: iter(3, 4))
attempt(lambda: iter([], 4))
attempt(lambda: sum(iter(Counter(9), 7)))
attempt(lambda: dict(zip(iter(Counter(9), None), "abc")))
class Never:
    def __eq__(self, other):
        raise KeyError("eq")
attempt(lambda: list(iter(lambda: 1, Never())))
never = Never()
attempt(lambda: list(iter(lambda: never, never)))
try:
    iter()
except TypeError:
    print("TypeError")
try:
    iter(c, 1, 2)
except TypeError:
    print("TypeError")
"""
)


def test_sentinel(any_device: Device) -> None:
    assert_alike(any_device, SENTINEL)


CHANGES = ["d[{0}] = 1", "d.pop({0}, None)", "d.clear()", "d.update({{{0}: 2}})", "d[k0] = 5"]


def test_changed_dicts(any_device: Device) -> None:
    rng = random.Random(7)
    lines = [ATTEMPT]
    for number in range(60):
        size = rng.choice([1, 2, 3, 5, 8, 9, 20])
        view = rng.choice(["d", "d.keys()", "d.values()", "d.items()"])
        at = rng.randrange(size + 1)
        change = rng.choice(CHANGES).format(rng.choice([rng.randrange(size), 100 + number]))
        lines.append(f"""
def case{number}():
    d = {{i: i * 2 for i in range({size})}}
    seen = []
    it = iter({view})
    try:
        for i in range({at}):
            seen.append(next(it))
        k0 = 0
        {change}
        for x in it:
            seen.append(x)
    except RuntimeError as e:
        seen.append(str(e))
    seen.append(next(it, "end") if not seen or not isinstance(seen[-1], str) else "")
    try:
        next(it)
    except (RuntimeError, StopIteration) as e:
        seen.append(type(e).__name__)
    return seen
attempt(case{number})
""")
    assert_alike(any_device, "".join(lines))


def test_replaced_keys(any_device: Device) -> None:
    """An iteration ends if each step replaces a key. Which keys it sees depends on the table."""
    assert_alike(
        any_device,
        """\
def run(size):
    d = {i: i for i in range(size)}
    steps = 0
    try:
        for k in d:
            del d[k]
            d[k + 1000] = 1
            steps += 1
    except RuntimeError as e:
        return steps <= size and str(e) == "dictionary keys changed during iteration"
    return steps <= size
print([run(size) for size in range(40)])
d = {1: 1, 2: 2}
for k in d:
    d[k] += 1
print(d)
for k in list(d):
    del d[k]
print(d)
""",
    )


def test_containers_of_changed_dicts(any_device: Device) -> None:
    assert_alike(
        any_device,
        ATTEMPT
        + """\
from collections import OrderedDict, defaultdict, Counter
def grow(d):
    for k in d:
        d[k, k] = 1
for make in (dict, defaultdict, Counter):
    d = make()
    d[1] = 2
    attempt(lambda: grow(d))
    print(len(d))
class D(dict):
    pass
d = D(a=1)
attempt(lambda: grow(d))
def count(d):
    return sum(1 for k in d.items() if d.setdefault(str(k), 0) == 0)
attempt(lambda: count({1: 1}))
dd = defaultdict(list)
dd["a"]
attempt(lambda: [dd[k + "x"] for k in dd])
attempt(lambda: {**{1: 2}, **{3: 4}})
it = iter({})
print(next(it, "end"), next(it, "end"))
""",
    )
