"""The order of evaluation in displays and comprehensions of dicts, as in CPython."""

from __future__ import annotations

import random

from porter.run import Device
from tests.library.compare import assert_alike

ORDER = """\
log = []
def f(x):
    log.append(x)
    return x
def show(value):
    print(value, log)
    log.clear()
show({f(1): f(2), f(3): f(4)})
show({f(1): f(2)})
show({f(i): f(-i) for i in range(1, 4)})
show({f(i): {f(j): f((i, j)) for j in "ab"} for i in "xy"})
show({f(1): 5, 6: f(7), **{f(8): f(9)}, f(10): f(11), "a": "b"})
show({(x := f(1)): x, (y := 5): y, "k": (z := 3), z: z})
show({f(1): {f(2): f(3), f(4): [f(5)]}, f((6,)): (f(7), f(8))})
show({f(a): f(b) for a, b in zip(range(3), "abc") if f(a) != 1})
show({**{}, f(1): f(2)})
it = iter("abcd")
show({next(it): next(it) for _ in range(2)})
it = iter("abcdef")
show({next(it): next(it), next(it): next(it), **{next(it): next(it)}})
def g():
    x = 1
    return {f(x): f((lambda: x)()) and x, x: f(x)}
show(g())
def h():
    got = yield {(yield 1): (yield 2), (yield 3): 4}
generator = h()
show([next(generator), generator.send("a"), generator.send("b"), generator.send("c")])
def raises(x):
    raise ValueError(x)
for program in ("{raises(1): raises(2)}", "{f(1): raises(2)}", "{nope1(): nope2()}", "{[]: f(3)}"):
    try:
        eval(program)
    except Exception as e:
        print(type(e).__name__, log)
    log.clear()
class C:
    d = {f(k): f(v) for k, v in [(1, 2)]}
show(C.d)
"""


def test_order_of_evaluation(any_device: Device) -> None:
    assert_alike(any_device, ORDER)


def test_random_displays(any_device: Device) -> None:
    source = random.Random(5)

    def value(depth: int) -> str:
        kind = source.randrange(6 if depth < 3 else 3)
        if kind < 2:
            return f"f({source.randrange(9)})"
        if kind == 2:
            return source.choice(["1", "'s'", "None", "x", "True"])
        if kind == 3:
            return f"({value(depth + 1)}, {value(depth + 1)})"
        if kind == 4:
            return f"str({display(depth + 1)})"
        return f"str({{f(i): {value(depth + 1)} for i in range({source.randrange(3)})}})"

    def display(depth: int) -> str:
        items = [
            f"**{display(depth + 1)}"
            if depth < 3 and source.random() < 0.15
            else f"{value(depth)}: {value(depth)}"
            for _ in range(source.randrange(4))
        ]
        return "{" + ", ".join(items) + "}"

    program = "log = []\ndef f(x):\n    log.append(x)\n    return x\nx = 5\n"
    for _ in range(60):
        program += f"print({display(0)}, log)\nlog.clear()\n"
    assert_alike(any_device, program)
