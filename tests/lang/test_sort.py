"""list.sort and sorted: CPython's results, for all side effects of keys and comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porter import InterpreterArray
from porter.run import Device, Launch, run
from tests.cpython import cpython

# Equal items that are distinguishable show whether a sort is stable.
NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.booleans(),
    st.sampled_from([-2.0, -0.0, 0.0, 1.0, 1.5, 1e300, float("inf"), -float("inf")]),
    st.sampled_from([1 << 46, -(1 << 46), (1 << 46) - 1, 1 << 60, -(1 << 60), 1 << 70]),
)
WORDS = st.text("abñ€", max_size=4)
ITEMS = [NUMBERS, WORDS, st.binary(max_size=3), st.tuples(NUMBERS, WORDS), st.lists(NUMBERS)]
KEYS: dict[str, Callable[[Any], Any] | None] = {
    "None": None,
    "first": lambda pair: pair[0],
    "length": lambda pair: len(repr(pair[0])) % 3,
    "itself": lambda pair: pair,
}
Case = tuple[list[Any], str, bool]
LISTS = st.one_of(*(st.lists(items, max_size=40) for items in ITEMS))
CASES = st.lists(st.tuples(LISTS, st.sampled_from(list(KEYS)), st.booleans()), max_size=40)

KEYED = """
from micropython import heap_lock, heap_unlock
inf = float('inf')
first = lambda pair: pair[0]
length = lambda pair: len(repr(pair[0])) % 3
itself = lambda pair: pair
known = lambda pair: lengths[pair[1]]
"""
# Each case is sorted twice: with memory, and with a locked heap, which selects another algorithm.
EACH = """
for items, key, reverse in CASES:
    if key is not None:
        items = [(item, i) for i, item in enumerate(items)]
    lean = items[:]
    lengths = [length(pair) for pair in items] if key is length else []
    lean_key = known if key is length else key
    heap_lock()
    lean.sort(key=lean_key, reverse=reverse)
    heap_unlock()
    items.sort(key=key, reverse=reverse)
    print(items, repr(lean) == repr(items))
"""


def outcome(case: Case) -> str:
    """Return CPython's output of EACH for a case."""
    items, key, reverse = case
    indexed = [(item, i) for i, item in enumerate(items)]
    ordered = sorted(indexed if KEYS[key] else items, key=KEYS[key], reverse=reverse)
    return f"{ordered!r} True"


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CASES)
def test_as_cpython_sorts(roomy_device: Device, cases: list[Case]) -> None:
    listed = ", ".join(f"({items!r}, {key}, {reverse})" for items, key, reverse in cases)
    program = f"{KEYED}CASES = [{listed}]\n{EACH}"
    result = run(roomy_device, [program], 1, Launch(heap=1 << 20, stdout=1 << 17))
    assert result.stderr[0] == b""
    assert result.stdout[0].decode().splitlines() == [outcome(case) for case in cases]


MEANWHILE = """
import gc
class Item:
    def __init__(self, value, act=None):
        self.value, self.act = value, act
    def __lt__(self, other):
        act = self.act or other.act
        if act:
            act()
        return self.value < other.value
    def __repr__(self):
        return str(self.value)
def attempt(items, **options):
    try:
        print(items.sort(**options), items)
    except Exception as error:
        print(type(error).__name__, sorted(items, key=lambda item: int(str(item))))
def fail():
    raise KeyError
def splice(l):
    l[0:0] = [7]
def store(l):
    l[0] = 7
def add(l):
    l += [7]
"""
SNIPPETS = {
    "calls": "for n in range(4): print(sorted(range(n), key=lambda x: print(x) or -x))",
    "raising key": "l = [3, 1, 2]\n"
    "try: l.sort(key=lambda x: 1 // (x - 2))\nexcept ZeroDivisionError: print(l)",
    "raising comparison": "attempt([Item(x * 7 % 11, [None, fail][x == 5]) for x in range(11)])",
    "kinds": "attempt([1, '2', 0])",
    "collecting": "attempt([Item(str(x * 7 % 11), lambda: gc.collect()) for x in range(11)])",
    "nested": "l = [Item(x * 5 % 7, lambda: l.sort() or m.sort()) for x in range(7)]\n"
    "m = [3, 2, 1]\nattempt(l); print(m)",
    "hidden": "l = [3, 2, 1]\nl.sort(key=lambda x: print(l, len(l), l == [], l[:], x in l) or x)",
    "iterated": "l = [3, 2, 1]\nfor x in l: l.sort(); print(x, l)",
    "truth": "class T:\n def __init__(self, v, of): self.v, self.of = v, of\n"
    " def __lt__(self, other): return self.of(self.v < other.v)\n"
    " def __repr__(self): return str(self.v)\n"
    "for of in (int, lambda x: 'x' * x, lambda x: [None] * x, lambda x: None):\n"
    " print(sorted([T(x * 3 % 5, of) for x in range(5)]))",
    "not a number": "l = sorted([2.0, float('nan'), 1.0, float('nan'), 0.0])\n"
    "print(len(l), sorted(str(x) for x in l))",
} | {
    f"changed by {change}": f"l = [3, 1, 2]\nattempt(l, key=lambda x: ({change}, x)[1])\n"
    f"l = [Item(x, lambda: {change}) for x in (3, 1, 2)]\nattempt(l)"
    for change in (
        "l.append(7)", "l.extend([7] * 9)", "l.extend(range(9))", "l.insert(0, 7)", "l.pop()",
        "splice(l)", "store(l)", "add(l)",
        "l.reverse()", "l.remove(1)", "[l.append(x) for x in range(50)]",
    )
}  # fmt: skip


@pytest.mark.parametrize("name", SNIPPETS)
def test_as_cpython_does(roomy_device: Device, name: str) -> None:
    program = MEANWHILE + SNIPPETS[name] + "\n"
    result = run(roomy_device, [program], 2)
    assert (result.stdout[1], result.stderr[1]) == (cpython(program), b"")


FAILING = """
def key(x):
    return str(x * 7919 % 101) + ' '
items, pairs = list(range(60)), [(x % 7, x) for x in range(60, 0, -1)]
expected, expected_pairs = sorted(items, key=key), sorted(pairs)
print('ready')
try:
    pairs.sort()
    items.sort(key=key)
    print(items == expected, pairs == expected_pairs)
except MemoryError:
    print('failed', len(items), sum(items))
"""


@pytest.mark.parametrize("rest", [False, True])
def test_failing_allocations(roomy_device: Device, rest: bool) -> None:
    made = int(run(roomy_device, [FAILING], 1).allocations[0])
    settings = Launch(fail_allocation=np.arange(made + 2), fail_rest=rest)
    result = run(roomy_device, [FAILING], made + 2, settings)
    ends = {result.stdout[i].partition(b"ready\n")[2] for i in range(made + 2)}
    # The sort survives a failing allocation of its own, and not one of the key function.
    assert ends - {b""} == {b"True True\n", b"failed 60 1770\n"}


NESTED = """
calls = 0
def key(x):
    global calls
    calls += 1
    return sorted([2, 1], key=key)
try:
    key(0)
except (MemoryError, RecursionError):
    print(calls < 5000)
"""


def test_a_sort_that_lacks_memory_calls_no_key_function_again(roomy_device: Device) -> None:
    sizes = {"heap": 48 << 10, "stack": 256 << 10, "pystack": 256 << 10}
    result = run(roomy_device, [NESTED], 1, Launch(max_steps=1_000_000, **sizes))  # type: ignore[arg-type]
    assert result.stdout[0] == b"True\n"


INTERRUPTED = """
items = list(range(3000))
scattered = lambda x: x * 7919 % 3001
try:
    while True:
        items.sort(key=scattered)
        items.sort()
except KeyboardInterrupt:
    print(sorted(items) == list(range(3000)))
"""


def test_an_interrupt_leaves_the_list_whole(roomy_device: Device) -> None:
    result = run(roomy_device, [INTERRUPTED], 2, Launch(timeout=0.3, heap=1 << 18))
    assert result.interrupted and set(result.stdout) == {b"True\n"}


@pytest.mark.parametrize("key", ["None", "lambda x: -x", "lambda x: str(-x)"])
def test_a_limit_leaves_the_list_whole(roomy_device: Device, key: str) -> None:
    with InterpreterArray(64, device=roomy_device) as array:
        array.exec("items = ['%03d' % (x * 37 % 101) for x in range(101)]")
        by = key.replace("-x", "-int(x)")
        array.exec(f"items.sort(key={by})", max_steps=[1 + 13 * i for i in range(64)], check=False)
        assert array.eval("sorted(items) == ['%03d' % x for x in range(101)]").all()
