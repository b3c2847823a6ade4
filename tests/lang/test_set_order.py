"""Sets of numbers and of tuples have CPython's order, after any history of operations."""

from __future__ import annotations

import subprocess
import sys
from random import Random

import numpy as np
import pytest

from porter.run import Device, Launch, run

OPERATIONS = """
def shown(value):
    return [*value] if isinstance(value, (set, frozenset)) else value

def step(sets, act, i, j, key, keys):
    a, c = sets[i], sets[j]
    if act == "add": a.add(key)
    elif act == "discard": a.discard(key)
    elif act == "pop": print("pop", a.pop() if a else None)
    elif act == "union": sets[i] = a.union(c, keys)
    elif act == "intersection": sets[i] = a.intersection(c, keys)
    elif act == "difference": sets[i] = a.difference(keys, c)
    elif act == "symmetric": sets[i] = a.symmetric_difference(keys)
    elif act == "|": sets[i] = a | c
    elif act == "&": sets[i] = a & c
    elif act == "-": sets[i] = a - c
    elif act == "^": sets[i] = a ^ c
    elif act == "|=": a |= c
    elif act == "&=": a &= c
    elif act == "-=": a -= c
    elif act == "^=": a ^= c
    elif act == "copy": sets[i] = c.copy()
    elif act == "set": sets[i] = set(keys)
    elif act == "dict": sets[i] = set(dict.fromkeys(keys))
    elif act == "frozen": sets[i] = set(frozenset(keys))
    elif act == "update": a.update(keys, c)
    elif act == "intersection_update": a.intersection_update(keys)
    elif act == "difference_update": a.difference_update(keys)
    print(act, *map(shown, sets))

sets = [set(), set(), set()]
for one in STEPS:
    step(sets, *one)
"""
ACTS = """
    add add add add discard discard pop union intersection difference symmetric | & - ^ |= &= -= ^=
    copy set dict frozen update intersection_update difference_update
"""


def numbers(random: Random, size: int) -> object:
    return random.randrange(-3, size)


def mixed(random: Random, size: int) -> object:
    number = random.randrange(-3, size)
    return random.choice(
        [number, number / 4, (number, number % 3), (number,), ((number, 1), -1), None, True]
    )


def history(seed: int, tuples: bool) -> list[tuple[object, ...]]:
    random = Random(seed)
    size = random.choice([6, 20, 70, 300, 10**6, 10**12])
    make = mixed if tuples else numbers
    steps: list[tuple[object, ...]] = []
    for _ in range(random.choice([10, 40, 80])):
        keys = [make(random, size) for _ in range(random.choice([0, 1, 3, 5, 8, 20, 40]))]
        act, i, j = random.choice(ACTS.split()), random.randrange(3), random.randrange(3)
        steps.append((act, i, j, make(random, size), keys))
    return steps


def cpython(program: str) -> bytes:
    command = [sys.executable, "-"]
    return subprocess.run(command, input=program.encode(), capture_output=True, check=True).stdout


@pytest.mark.parametrize("tuples", [False, True])
def test_order(roomy_device: Device, tuples: bool) -> None:
    """The hash of None is CPython's since 3.12, so older versions are not asked about it."""
    programs = []
    for seed in range(60):
        steps = history(seed, tuples)
        text = repr(steps)
        if sys.version_info < (3, 12):
            text = text.replace("None", "7")
        programs.append(f"STEPS = {text}\n{OPERATIONS}")
    launch = Launch(heap=1 << 20, stdout=1 << 18)
    which = np.arange(len(programs))
    result = run(roomy_device, programs, len(programs), launch, program_of=which)
    whole = "".join(f"{program}\nprint('next program')\n" for program in programs)
    expected = cpython(whole).split(b"next program\n")
    for index in range(len(programs)):
        assert result.stderr[index] == b""
        assert result.stdout[index] == expected[index], f"seed {index}"


LITERALS = """
print({3, 1, 2}, {16, 1, 2, 3, 4}, {19, 18, 2}, {33, 5, 65, 1}, {0.5, 1, 2.25, -1, -2})
print({(1, 2), (2, 1), (0, 0)}, frozenset([40, 3, 9]), set(range(20, 0, -3)), {True, 0, 2.0})
print({x * 7 % 50 for x in range(40)}, set("a"), {()}, {5: 1, 3: 2}.keys() & {3, 5})
x, y = 16, 4
print({x, 1, 2, 3, y}, {16, 1, 2, 3, 4, 8, 9, 10})
"""


def test_displays(roomy_device: Device) -> None:
    assert run(roomy_device, [LITERALS], 1).stdout[0] == cpython(LITERALS)


REFUSED = """
def attempt(act):
    try:
        print(act())
    except Exception as error:
        print(type(error).__name__)

numbers = {1, 2, 3}
attempt(lambda: [numbers.add(n + 10) for n in numbers])
attempt(lambda: [numbers.discard(n) for n in numbers])
attempt(lambda: set().pop())
attempt(lambda: {1}.remove(5))
attempt(lambda: {1}.remove((5,)))
attempt(lambda: {1, 2} <= {1, 2, 3} <= {1, 2, 3})
attempt(lambda: {1} | [2])
attempt(lambda: {1} < [2])
attempt(lambda: {1}.union(5))
attempt(lambda: {frozenset({1, 2})} == {frozenset({2, 1})})
attempt(lambda: {1, 2} in {frozenset({1, 2})})
attempt(lambda: frozenset({1}) | {2})
attempt(lambda: {1} | frozenset({2}))
attempt(lambda: {1} == frozenset({1}))
attempt(lambda: set().union(*[[1], [2], [3]]))
attempt(lambda: set.intersection(*map(set, ["abc", "bcd", "cb"])) == {"b", "c"})
class Numbers(set):
    pass
attempt(lambda: sorted({1, 2} | Numbers([3])))
attempt(lambda: Numbers([1]) == {1})
attempt(lambda: {(1, 2)} == {(1.0, 2)})
class Pair(tuple):
    pass
attempt(lambda: Pair((1, 2)) in {(1, 2)})
attempt(lambda: (Pair((1, 2)), 3) in {((1, 2), 3): 0})
attempt(lambda: {frozenset({1, (2, 3)}): 5}[frozenset({(2.0, 3), 1})])
"""


VIEWS = """
a, b = {3: "x", 1: "y", 2: "z"}, {2: "z", 3: "w", 9: "v"}
print(a.keys() & b.keys(), a.keys() | b, a.keys() - [1], a.keys() ^ b.keys(), {3, 5} & a.keys())
print(a.items() & b.items(), a.keys() == {1, 2, 3}, a.keys() < {1, 2, 3, 4}, a.keys() >= b.keys())
print({1: 0} == {1: 0}, a.keys() == [1, 2, 3], {2}.issubset(a.keys()), {9} | b.keys())
for refused in (lambda: a.values() & b.values(), lambda: {1} & a.values(), lambda: a.keys() < [1]):
    try:
        print(refused())
    except TypeError:
        print("TypeError")
"""


def test_views_of_dicts(roomy_device: Device) -> None:
    assert run(roomy_device, [VIEWS], 1).stdout[0] == cpython(VIEWS)


def test_operations_that_are_refused(roomy_device: Device) -> None:
    assert run(roomy_device, [REFUSED], 1).stdout[0] == cpython(REFUSED)


NESTED = """
from collections import namedtuple
class T(tuple): pass
class H(tuple):
    def __hash__(self): return 7
P = namedtuple('P', 'x')
for kind in (lambda x: T((x,)), P, lambda x: H((x,)), lambda x: (x,)):
    value = kind(0)
    for i in range(40): value = kind(value)
    print(hash(value) == hash((value,)[0]), value in {value})
plain, instance = (1, (2, 3)), T((1, T((2, 3))))
print(plain == instance, hash(plain) == hash(instance), (instance,) in {(plain,)})
print(hash((H((1, 2)),)) == hash((7,)))
"""


def test_the_hash_of_nested_instances_takes_steps_in_proportion(any_device: Device) -> None:
    result = run(any_device, [NESTED], 1, Launch(max_steps=200_000, stack=64 << 10))
    assert result.stderr[0] == b""
    assert result.stdout[0].split() == [b"True"] * 12
