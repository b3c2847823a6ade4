"""collections.deque: an interpreter gives what CPython gives, for random operations."""

from __future__ import annotations

import random

import pytest

from porter.run import Device
from tests.library.compare import PRELUDE, assert_alike, calls, printed

STEPS = [
    "d.append({i})",
    "d.append({i})",
    "d.appendleft({i})",
    "d.pop()",
    "d.popleft()",
    "d.extend(range({n}))",
    "d.extendleft('abc')",
    "d.extend(d)",
    "d.extendleft(d)",
    "d.rotate({i})",
    "d.rotate()",
    "d.insert({i}, {j})",
    "d.remove({j})",
    "d.index({j})",
    "d.index({j}, {i})",
    "d.index({j}, {i}, {n})",
    "d.count({j})",
    "d.reverse()",
    "d.__setitem__({i}, {j})",
    "d.__delitem__({i})",
    "d[{i}]",
    "d.__iadd__([{i}, {j}])",
    "d.__imul__({n})",
    "d * {i}",
    "{i} * d",
    "d + deque([{i}])",
    "d + [1]",
    "{j} in d",
    "list(reversed(d))",
    "d == deque(list(d))",
    "d < deque([{i}, {j}])",
    "d >= deque([{i}])",
    "d == list(d)",
    "d.copy()",
    "d.__copy__()",
    "copy.copy(d)",
    "copy.deepcopy(d)",
    "(len(d), bool(d), d.maxlen)",
    "d.clear()",
]
SINGLE = [
    "deque()",
    "deque([])",
    "deque('abc')",
    "deque('abc', 2)",
    "deque('abc', maxlen=2)",
    "deque(iterable='abc', maxlen=None)",
    "deque(maxlen=0).append(1)",
    "deque(5)",
    "deque([], -1)",
    "deque([], 'a')",
    "deque([], 1, 2)",
    "deque(x=1)",
    "deque.append([], 1)",
    "deque.append(deque(), 1)",
    "deque.__dict__['append'](5, 1)",
    "deque().append",
    "hash(deque())",
    "{deque(): 1}",
    "deque([1])['a']",
    "deque([1])[0:1]",
    "deque([1])[1]",
    "deque([1])[-2]",
    "deque([1]).rotate('a')",
    "deque([1]).insert('a', 1)",
    "deque([1], 1).insert(0, 1)",
    "deque([1]).index(1, 'a')",
    "setattr(deque(), 'maxlen', 1)",
    "deque([1]) < [2]",
    "deque([1]) + 1",
    "deque([1]) * 'a'",
    "deque([deque([1]), 'a', None])",
    "str(deque([1.5]))",
    "deque[int] is not None",
    "sum(deque([1, 2, 3]))",
    "sorted(deque([3, 1, 2]))",
    "[*deque([1, 2])]",
    "max(deque([1, 5, 2]))",
    "isinstance(deque(), deque)",
    "deque(range(40)) * 50 == deque(list(range(40)) * 50)",
    "deque(range(5), 7) * 3",
    "deque(range(5), 7) * 1000000",
]
CHANGED = """\
from collections import deque

def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__)

class Clears:
    def __init__(self, d):
        self.d = d
    def __eq__(self, other):
        self.d.clear()
        return False
    def __lt__(self, other):
        self.d.clear()
        return True
    __gt__ = __le__ = __ge__ = __lt__
    def __repr__(self):
        self.d.clear()
        return "x"

def made():
    d = deque([1, 2, 3])
    d.extend([Clears(d), 5, 6])
    return d

attempt(lambda: made().index(9))
attempt(lambda: made().count(9))
attempt(lambda: made().remove(9))
attempt(lambda: 9 in made())
attempt(lambda: made() < deque([1, 2, 3, 4, 5, 6]))

def walk(change):
    d = deque([1, 2, 3])
    for item in d:
        change(d)
    return d

attempt(lambda: walk(lambda d: d.append(1)))
attempt(lambda: walk(lambda d: d.popleft()))
attempt(lambda: walk(lambda d: d.rotate()))
attempt(lambda: walk(lambda d: d.clear()))
attempt(lambda: walk(lambda d: d.__setitem__(0, 9)))

class Queue(deque):
    def take(self):
        return self.popleft()

q = Queue([1, 2, 3], maxlen=3)
q.append(4)
print(q.take(), len(q), list(q), q.maxlen, q == deque([3, 4]), deque([3, 4]) == q, q[0])
print(deque(q) + q, isinstance(q, deque))

queue, seen = deque([(0, 0)]), {(0, 0)}
while queue:
    x, y = queue.popleft()
    for x, y in ((x + 1, y), (x, y + 1)):
        if x < 40 and y < 40 and (x, y) not in seen:
            seen.add((x, y))
            queue.append((x, y))
print(len(seen))
"""


@pytest.mark.parametrize("limit", ["", ", 0", ", 1", ", 6", ", maxlen=30"])
def test_random_operations(any_device: Device, limit: str) -> None:
    source = random.Random(limit)
    lines = []
    for _ in range(12):
        lines.append(f"d = deque(range({source.randint(0, 9)}){limit})")
        for _ in range(30):
            values = {name: source.randint(-7, 9) for name in "ij"}
            step = source.choice(STEPS).format(n=source.randint(0, 4), **values)
            lines += [f"show(lambda: {step})", "d = deque(list(d)[:60], d.maxlen)", "print(d)"]
    program = "import copy\nfrom collections import deque\n" + PRELUDE + "\n".join(lines) + "\n"
    assert_alike(any_device, program)


def test_single_calls(any_device: Device) -> None:
    expressions = [text for text in SINGLE if text != "deque().append"]
    assert_alike(any_device, calls("from collections import deque", expressions))


def test_changes_meanwhile(any_device: Device) -> None:
    assert_alike(any_device, CHANGED)


def test_a_printed_deque_may_change(any_device: Device) -> None:
    program = CHANGED.split("attempt(lambda")[0] + "print(made())\n"
    assert printed(any_device, program) == "deque([1, 2, 3, x])\n"
