"""Loops over range: the program's own `range`, and arguments that are no integers."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import ATTEMPT, assert_alike, printed

OWN = """
def shadowed_by_a_variable():
    range = lambda n: [7]
    def inner():
        for i in range(3):
            return i
    for i in range(2):
        print(i, inner())
shadowed_by_a_variable()
def shadowed_by_a_parameter(range):
    for i in range(4):
        print(i)
shadowed_by_a_parameter(lambda n: "ab")
class Shadowed:
    range = lambda n: [9]
    for i in range(1):
        print(i)
def before():
    for i in range(2):
        yield i
print(list(before()))
def range(*limits):
    return limits
print(list(before()))
for i in range(5, 6, 7):
    print(i)
print([i for i in range(8)])
"""

# Each call has a loop whose limit is the value of an expression.
LIMITS = [
    "5 / 2",
    "3.0",
    "True",
    "'3'",
    "None",
    "[1]",
    "(1 << 70) - (1 << 70) + 2",
    "-3",
    "len('ab')",
]


def limited() -> str:
    """Return a program whose loops begin or end at each of LIMITS."""
    lines = [ATTEMPT]
    for k, limit in enumerate(LIMITS):
        loops = (
            f"range({limit})",
            f"range(1, {limit})",
            f"range({limit}, 3)",
            f"range({limit}, 0, -1)",
        )
        for j, loop in enumerate(loops):
            body = f"    seen = []\n    for i in {loop}:\n        seen.append(i)\n    return seen\n"
            lines.append(f"def loop_{k}_{j}():\n{body}attempt(loop_{k}_{j})\n")
    return "".join(lines)


LOCKED = """
import micropython
def run(count):
    total = 0
    for i in range(count):
        for j in range(2, count):
            total += j
    return total
micropython.heap_lock()
found = run(4)
micropython.heap_unlock()
print(found)
"""


def test_loops_take_no_heap(any_device: Device) -> None:
    assert printed(any_device, LOCKED) == "20\n"


def test_a_range_of_the_program_is_called(any_device: Device) -> None:
    assert_alike(any_device, OWN)


def test_limits_that_are_no_integers_are_refused(any_device: Device) -> None:
    assert_alike(any_device, limited())
