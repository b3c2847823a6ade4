"""Native code calls native code directly, under the interpreter's limits."""

from __future__ import annotations

import re
from collections.abc import Callable

import attrs
import numpy as np
import pytest

from porter import InterpreterArray
from porter.base import paths
from porter.errors import InterpreterError, InterpreterTimeout
from porter.rewrite.poll_sites import NESTED

Make = Callable[..., InterpreterArray]

CALLS = """\
def inner(n):
    return n * 3 - 1
class Holder:
    def method(self, n):
        return n * 5 - 1
def outer(n):
    s = 0
    held = Holder()
    for i in range(n):
        s += inner(i) * 1000 + held.method(i)
    return s
print(outer(20))
"""
DEEP = """\
def down(n):
    global deepest
    deepest = n
    return down(n + 1) + n * 2
def count(n):
    return 0 if n == 0 else count(n - 1) + 1
for turn in range(3):
    try:
        down(0)
    except RuntimeError as e:
        print(e, deepest)
    print(count(deepest // 2) - deepest // 2)
"""
ENDLESS = """\
def step(n):
    return n * 2 & 1023 | 1
def work(n):
    global turns
    while True:
        turns += 1
        n = step(n) + step(n + 1)
def start(n):
    try:
        return work(n) + 1
    except KeyboardInterrupt:
        print('interrupted')
        raise
turns = 0
start(1)
"""


def test_calls_do_not_go_through_the_interpreter(two: InterpreterArray) -> None:
    # Native code of another source shows which code ran; the interpreter enters only `outer`.
    other = CALLS.replace("n * 3 - 1", "n * 3 + 1").replace("n * 5 - 1", "n * 5 + 1")
    expected = two.exec(other).stdout[0]
    made = two.compile(other, native=True).native
    assert made is not None
    before = int(re.findall(r"if \(entry < (\d+)\)", made.text)[-2])
    entries = np.where(made.entries >= before, made.entries, 0).astype(np.uint16)
    code = attrs.evolve(two.compile(CALLS), native=attrs.evolve(made, entries=entries))
    assert two.exec(code).stdout[0] == expected != two.exec(CALLS).stdout[0]


@pytest.mark.parametrize("sizes", [{}, {"pystack": "64K"}, {"pystack": "3K"}, {"stack": "16K"}])
def test_recursion_goes_as_deep(make: Make, sizes: dict[str, str]) -> None:
    array = make(1, **sizes)
    plain, native = (array.exec(source) for source in (DEEP, array.compile(DEEP, native=True)))
    assert native.stdout[0] == plain.stdout[0]
    assert native.stdout[0].count(b"\n0\n") == 3
    assert native.steps.tolist() == plain.steps.tolist()


def test_interrupts_and_limits_end_what_was_called(two: InterpreterArray) -> None:
    code = two.compile(ENDLESS, native=True)
    call = two.exec(code, wait=False)
    call.interrupt()
    with pytest.raises(InterpreterError, match="2 of 2 interpreters raised KeyboardInterrupt"):
        call.result()
    assert two.stdout[1] == b"interrupted\n"
    shown = []
    for source in (ENDLESS, code):
        for steps in range(5000, 5020):
            outcome = two.exec(source, max_steps=steps, check=False)
            shown.append((outcome.steps.tolist(), outcome.limited, two.eval("turns").tolist()))
    assert shown[:20] == shown[20:]
    with pytest.raises(InterpreterTimeout):
        two.exec(code, timeout=0.2)
    # The pending callees are discarded at the end.
    assert two.exec("try:\n    {}[1]\nexcept KeyError as e:\n    print(e)").stdout[0] == b"1\n"
    assert two.eval("step(4)").tolist() == [9, 9]


MAKING = """\
class Number:
    def __init__(self, n):
        self.n = n
    def __add__(self, o):
        return Number(self.n + o & 255)
class Under(Number):
    def __init__(self, n):
        super().__init__(n)
        self.kept = [n]
class Deep:
    def __init__(self):
        self.next = Deep()
def counter(k):
    def add(n):
        nonlocal k
        k = k + n & 255
        return k
    return add
def deep():
    try:
        return Deep()
    except RuntimeError:
        return None
def work():
    global turns
    add, x = counter(1), Number(1)
    while True:
        turns += 1
        {what}
turns = 0
work()
"""


@pytest.mark.parametrize("what", ["x = x + 1", "x = Under(3)", "x = add(2)", "x = deep()"])
def test_what_makes_objects_for_ever_is_stopped(two: InterpreterArray, what: str) -> None:
    source = MAKING.replace("{what}", what)
    code = two.compile(source, native=True)
    turns = []
    for one in (source, code):
        outcome = two.exec(one, max_steps=30_000, check=False)
        assert [limit.count for limit in outcome.limited] == [2]
        turns.append(two.eval("turns").tolist())
    assert turns[0] == turns[1] or "deep" in what  # only the C stack is so deep
    assert turns[1][0] > 0
    with pytest.raises(InterpreterTimeout):
        two.exec(code, timeout=0.2)
    assert two.eval("counter(3)(4) * 10 + (Number(3) + 1).n").tolist() == [74, 74]


def test_a_turn_draws_what_the_rewriter_has_it_draw() -> None:
    """native_slow.c walks classes like mp_obj_class_lookup(), whose polls a rule inserts."""
    text = (paths.templates_dir() / "port/native_slow.c").read_text(encoding="utf-8")
    assert f"#else\n#define TURN ({NESTED})\n" in text
