"""Dicts and sets have CPython's content, through all growth and collisions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porter.run import Device, Launch, run

WORDS = st.one_of(
    st.integers(-40, 40),
    st.sampled_from([None, True, False, 1.0, -2.0, 0.5, 1 << 46, -(1 << 46) - 1, 1 << 70]),
    st.text("abñ", max_size=3),
)
TUPLES = st.one_of(st.tuples(), st.tuples(WORDS), st.tuples(WORDS, WORDS))
KEYS = st.one_of(WORDS, TUPLES, st.tuples(TUPLES, st.integers(0, 3)))
STEPS = st.lists(st.tuples(st.sampled_from("++++-?"), KEYS), max_size=300)

EACH = """
d, s = {}, set()
missing = 'missing'
for act, key in STEPS:
    # A string that is made now is no constant of the program.
    key = ''.join(list(key)) if isinstance(key, str) else key
    if act == '+':
        d[key] = d.get(key, 0) + 1
        s.add(key)
    elif act == '-':
        print(d.pop(key, missing) == missing, s.discard(key))
    else:
        print(d.get(key, missing), key in d, key in s)
print(len(d), len(s), sorted(d.values()), all(key in s for key in d), s == set(d))
"""


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_as_cpython_holds(roomy_device: Device, steps: list[tuple[str, Any]]) -> None:
    lines: list[str] = []
    exec(EACH, {"STEPS": steps, "print": lambda *a: lines.append(" ".join(map(str, a)))})
    program = f"STEPS = [{', '.join(map(repr, steps))}]\n{EACH}"
    result = run(roomy_device, [program], 1, Launch(heap=1 << 20, stdout=1 << 17))
    assert result.stderr[0] == b""
    assert result.stdout[0].decode().splitlines() == lines


def test_user_classes_are_compared(roomy_device: Device) -> None:
    program = """
class K:
    def __init__(self, v): self.v = v
    def __hash__(self): return 3
    def __eq__(self, o): return self.v == (o.v if isinstance(o, K) else o)
d = {K(i): i for i in range(30)}
print(len(d), [d[K(i)] for i in (0, 7, 29)], K(30) in d, 3 in d, (3,) in d, K((3,)) in d)
"""
    assert run(roomy_device, [program], 2).stdout[1] == b"30 [0, 7, 29] False True False False\n"


# Tables of all sizes of literals, odd sizes with factors among them, then grown and emptied. Keys
# are adjacent, far apart, packed from two numbers, or absent.
KEPT = """
def trial(n, spread, seed):
    d, s = {}, set(range(0, n * spread, spread))
    d.update({i * spread: i for i in range(n)})
    for _ in range(400):
        seed = seed * 1103515245 + 12345 & 0x7fffffff
        key = (seed >> 8) % (3 * n) * spread + (seed >> 4) % 2
        if seed >> 16 & 3:
            d[key] = seed
            s.add(key)
        else:
            print(d.pop(key, None), key in s, s.discard(key))
        seed += (key in s) + (key + 1 in s) * 2 + d.get(key + spread, 3)
    if n % 3 == 0:
        while len(s) > 5:
            s.remove(min(s))
            d.pop(max(d))
    print(n, len(d), len(s), sum(d), sum(s), sorted(d) == sorted(d.keys()), seed)
for n in range(13, 80):
    trial(n, SPREAD, n)
"""


@pytest.mark.parametrize("spread", [1, 7, 64, 257, 1 << 20])
def test_tables_of_numbers_hold_what_cpython_holds(roomy_device: Device, spread: int) -> None:
    lines: list[str] = []
    names = {"SPREAD": spread, "print": lambda *a: lines.append(" ".join(map(str, a)))}
    exec(KEPT, names)
    settings = Launch(heap=1 << 20, stdout=1 << 20)
    result = run(roomy_device, [f"SPREAD = {spread}\n{KEPT}"], 1, settings)
    assert result.stderr[0] == b""
    assert result.stdout[0].decode().splitlines() == lines


LITERAL = """
from micropython import heap_lock, heap_unlock
d = n = i = 0
d = {0: heap_lock(), %s}
for i in range(len(d)):
    n += i * 5 in d
print(n, len(d), 3 in d, -1 in d)
heap_unlock()
d[3] = 3
print(len(d), sum(d), 3 in d)
"""


@pytest.mark.parametrize("size", [13, 15, 21, 25, 27, 33, 35, 45, 49, 63, 105])
def test_a_literal_of_an_odd_size_is_filled_without_memory(roomy_device: Device, size: int) -> None:
    """The probe sequence reaches every place, for every divisor of the number of places."""
    items = ", ".join(f"{i * 5}: 0" for i in range(1, size))
    before, after = run(roomy_device, [LITERAL % items], 2).stdout[1].decode().splitlines()
    assert before == f"{size} {size} False False"
    assert after == f"{size + 1} {size * (size - 1) // 2 * 5 + 3} True"


MISSED = """
class K:
    compared = 0
    def __init__(self, v): self.v = v
    def __hash__(self): return self.v
    def __eq__(self, o):
        K.compared += 1
        return self.v == o.v
d, s = {}, set()
for i in range(1500):
    d[K(i)] = i
    s.add(K(i))
K.compared = n = 0
for i in range(50000, 50500):
    n += (K(i) in d) + (K(i) in s)
print(n, K.compared)
"""


def test_a_search_leaves_runs_of_neighbours(roomy_device: Device) -> None:
    """With linear probing, an absent key would meet hundreds of present keys."""
    found, compared = map(
        int, run(roomy_device, [MISSED], 2, Launch(heap=1 << 20)).stdout[1].split()
    )
    assert found == 0 and 0 < compared < 8 * 1000


QUEUE = """
import gc
d, s = {}, set()
def turn(first, last):
    for i in range(first, last):
        d[i] = i
        s.add(i)
        d.pop(i - 700, None)
        s.discard(i - 700)
turn(0, 2000)
gc.collect()
before = gc.mem_alloc()
turn(2000, 20000)
gc.collect()
print(len(d), len(s), sum(d) == sum(s) == sum(range(19300, 20000)), gc.mem_alloc() - before)
"""


def test_removed_keys_cost_no_memory(roomy_device: Device) -> None:
    line = run(roomy_device, [QUEUE], 2, Launch(heap=1 << 18)).stdout[1].split()
    assert line[:3] == [b"700", b"700", b"True"]
    assert int(line[3]) <= 1 << 10


FULL = """
import array, gc, ucollections as collections
def fill(make, add):
    gc.collect()
    kept = make()
    n = 0
    filler = [bytearray(400) for _ in range(FILLERS)]
    for _ in range(3):
        try:
            while True:
                add(kept, n)
                n += 1
        except MemoryError:
            pass
        filler = None  # then the container can go on growing
        gc.collect()
    # Nothing here needs much memory.
    return n > 9, n <= len(kept) <= n + 1, sum(1 for _ in kept) == len(kept)
print(fill(collections.OrderedDict, lambda d, i: d.__setitem__(i, i)))
print(fill(dict, lambda d, i: d.__setitem__(i, i)))
print(fill(set, lambda d, i: d.add(i)))
print(fill(list, lambda d, i: d.append(i)))
print(fill(bytearray, lambda d, i: d.append(i & 255)))
print(fill(lambda: array.array('q'), lambda d, i: d.append(i)))
"""


@pytest.mark.parametrize("fillers", range(14, 22))
def test_a_container_that_could_not_grow_is_whole(any_device: Device, fillers: int) -> None:
    result = run(
        any_device, [FULL.replace("FILLERS", str(fillers))], 1, Launch(heap=53 << 10, stdout=4096)
    )
    assert result.stderr[0] == b""
    assert result.stdout[0].decode().splitlines() == ["(True, True, True)"] * 6
