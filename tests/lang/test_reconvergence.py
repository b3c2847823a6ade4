"""Interpreters that diverge and reconverge: each result is independent of the others.

The host twin runs each interpreter separately. On a GPU they are lanes of a warp that wait for each
other (reconvergence.cu).
"""

from __future__ import annotations

import numpy as np
import pytest
from endless import PYTHON, WORDS

from porter.run import Device, Launch, run
from tests.cpython import cpython

# These lanes take different branches, run loops of different lengths, raise in different
# iterations, and call Python from C.
PROGRAMS = {
    "calls": """
def depth(n):
    return 0 if n < 2 else 1 + depth(n // 2 if n % 2 == 0 else 3 * n + 1)
print([depth(threadIdx + k) for k in range(1, 12)])
""",
    "exceptions": """
def check(n):
    try:
        if n % 3 == 0:
            raise ValueError(n)
        return [n][n % 2]
    except IndexError:
        return 'odd'
    finally:
        log.append(n % 5)
log = []
for n in range(threadIdx % 7, 20):
    try:
        log.append(check(n))
    except ValueError as error:
        log.append(error.args)
print(log)
""",
    "keys": """
class Item:
    def __init__(self, n):
        self.n = n
    def __lt__(self, other):
        return self.n % 10 < other.n % 10 if self.n % 2 else self.n < other.n
x = threadIdx
items = []
for i in range(threadIdx % 9 + 3):
    x = (x * 1103515245 + 12345) & 0x7fffffff
    items.append(x >> 8 & 63)
print(sorted(items, key=lambda n: -n if n % 2 else str(n).count('1')))
print(min(items, key=lambda n: (n % 7, n)), Item(3) < Item(threadIdx), sum(map(abs, items)))
""",
    "generators": """
def walk(n):
    while n > 1:
        n = n // 2 if n % 2 == 0 else (yield n) or 3 * n + 1
        yield from range(n % 3)
    return n
found = {}
for value in walk(threadIdx % 23 + 1):
    found[value] = found.get(value, 0) + 1
    if len(found) > 40:
        break
print(sorted(found.items()))
""",
    "text": """
words = {}
text = ' '.join([str((threadIdx + 3) * i % 29) * (i % 3) for i in range(30)])
for word in text.split():
    if len(word) > 1:
        word = word.replace('1', 'one')
    words[word] = words.get(word, 0) + 1
print(sorted(words, key=lambda w: (-words[w], w))[:6], len(text))
""",
}


@pytest.mark.parametrize("n", [1, 31, 32, 75])
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_ends_as_alone(any_device: Device, name: str, n: int) -> None:
    result = run(any_device, [PROGRAMS[name]], n, Launch(timeout=60.0))
    assert [result.stdout[i] for i in range(n)] == [
        cpython(PROGRAMS[name], threadIdx=i) for i in range(n)
    ], result.stderr[0]


def test_programs_of_one_warp(any_device: Device) -> None:
    sources = list(PROGRAMS.values())
    which = np.arange(64, dtype=np.uint32) % len(sources)
    result = run(any_device, sources, 64, Launch(timeout=60.0, order=False), program_of=which)
    for i in range(64):
        assert result.stdout[i] == cpython(sources[which[i]], threadIdx=i)


# Each runs forever.
ENDLESS = PYTHON | {
    "lock": "import gpu\nwhile gpu.atomic_cas(cells, 0, 1, 1):\n    str(threadIdx)\n",
}


@pytest.mark.parametrize("lanes", ["threadIdx % 32 == 5", "threadIdx % 4 != 3", "threadIdx % 2"])
@pytest.mark.parametrize("name", ENDLESS)
def test_neighbours_that_never_end(any_device: Device, name: str, lanes: str) -> None:
    n = 64
    endless = "".join(f"    {line}\n" for line in ENDLESS[name].splitlines())
    cells = any_device.zeros(1, "int32")
    cells[0] = 1
    source = f"{WORDS}\nif {lanes}:\n{endless}print(work(200))\n"
    # Alone the others take 25 ms on an H100; a starving neighbour would let none end in a second.
    # With bounds checks they are slower.
    deadline = 4.0 if any_device.built.bounds_checks else 1.0
    limits = Launch(deadline=deadline, bind={"cells": cells}, timeout=60.0)
    result = run(any_device, [source], n, limits)
    ended = any_device.built.constants["GPUSNEK_OK"]
    for i in range(n):
        never = eval(lanes, {"threadIdx": i})
        assert (result.status[i] == ended) == (not never), (i, result.stderr[i])
        if not never:
            assert result.stdout[i] == cpython(f"{WORDS}\nprint(work(200))", threadIdx=i)


def test_a_barrier_for_some_of_a_warp(any_device: Device) -> None:
    source = f"""{WORDS}
if threadIdx % 3:
    for round in range(10):
        [str(i) for i in range(threadIdx % 11)]
        syncthreads()
print(work(200))
"""
    result = run(any_device, [source], 64, Launch(block=64, timeout=60.0))
    for i in range(64):
        assert result.stdout[i] == cpython(f"{WORDS}\nprint(work(200))", threadIdx=i)
