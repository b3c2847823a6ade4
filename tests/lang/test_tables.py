"""Dicts and sets: they hold what CPython's hold, however their tables grow and are searched."""

from __future__ import annotations

from typing import Any

import numpy as np
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
def test_as_cpython_holds(any_device: Device, steps: list[tuple[str, Any]]) -> None:
    lines: list[str] = []
    exec(EACH, {"STEPS": steps, "print": lambda *a: lines.append(" ".join(map(str, a)))})
    program = f"STEPS = [{', '.join(map(repr, steps))}]\n{EACH}"
    result = run(any_device, [program], 1, Launch(heap=1 << 20, stdout=1 << 17))
    assert result.stderr[0] == b""
    assert result.stdout[0].decode().splitlines() == lines


def test_user_classes_are_compared(any_device: Device) -> None:
    program = """
class K:
    def __init__(self, v): self.v = v
    def __hash__(self): return 3
    def __eq__(self, o): return self.v == (o.v if isinstance(o, K) else o)
d = {K(i): i for i in range(30)}
print(len(d), [d[K(i)] for i in (0, 7, 29)], K(30) in d, 3 in d, (3,) in d, K((3,)) in d)
"""
    assert run(any_device, [program], 2).stdout[1] == b"30 [0, 7, 29] False True False False\n"


FULL = """
from micropython import heap_lock, heap_unlock
def fill(table, add):
    n = 0
    heap_lock()
    try:
        while n < 1000:
            add(n)
            n += 1
    except MemoryError:
        pass
    heap_unlock()
    print(n, len(table), all(i in table for i in range(n)))
    for i in range(n, 200):
        add(i)
    print(sum(table), -1 in table)
d, s = {i: i for i in range(14)}, set(range(14))
def put(i):
    d[i] = i
def join(i):
    s.add(i)
fill(d, put)
fill(s, join)
"""


def test_without_memory_a_table_is_filled(any_device: Device) -> None:
    """One that has grown from 17 places to 23 takes 23 keys, and no more."""
    lines = run(any_device, [FULL], 2).stdout[1].splitlines()
    assert lines == [b"23 23 True", b"19900 False"] * 2


GROWING = """
d, s = {}, set()
print('ready')
try:
    for i in range(60):
        d[i, 'x'] = i
        s.add(i)
except MemoryError:
    print('failed', end=' ')
print(len(d) - len(s) in (0, 1), all(i in s for i in s), sum(d.values()) >= sum(s))
"""


@pytest.mark.parametrize("rest", [False, True])
def test_growth_that_fails_loses_nothing(any_device: Device, rest: bool) -> None:
    made = int(run(any_device, [GROWING], 1).allocations[0])
    settings = Launch(fail_allocation=np.arange(made + 2), fail_rest=rest)
    result = run(any_device, [GROWING], made + 2, settings)
    ends = {result.stdout[i].partition(b"ready\n")[2] for i in range(made + 2)}
    assert b"True True True\n" in ends
    assert ends <= {b"", b"failed ", b"True True True\n", b"failed True True True\n"}


def test_the_hash_of_a_tuple_is_the_same_everywhere(any_device: Device) -> None:
    """No address is in it, and the order of the items matters."""
    value = 2
    for item in (1, 5):
        value = ((value ^ item) * 0x9E3779B97F4A7C15 & (1 << 64) - 1) >> 32
    result = run(any_device, ["print(hash((1, 5)), hash((1, 5)) == hash((5, 1)))"], 2)
    assert result.stdout[1] == f"{value} False\n".encode()
