"""Ranges: membership without iterating, and ends at the largest machine words."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, Program, run
from tests.library.compare import ATTEMPT, assert_alike

LEAST, MOST = -(2**63) + 1, 2**63 - 1
STEPS = (1, 2, 3, 7, -1, -2, -5, MOST, LEAST, 2**62)
ENDS = (
    (0, 10), (10, 0), (-3, 4), (5, 5), (MOST - 4, MOST), (LEAST + 4, LEAST), (LEAST, LEAST + 3),
    (MOST, MOST - 3),
)  # fmt: skip
VALUES = (0, 1, 4, 9, 10, -3, True, False, MOST, MOST - 1, LEAST, LEAST + 2, 2**70, -(2**70))
OTHERS = ("3.0", "'a'", "None", "2.5", "Equal(2)", "Integer(3)", "float('nan')", "(1,)")


def test_items_and_lengths(any_device: Device) -> None:
    lines = []
    for start, stop in ENDS:
        for step in STEPS:
            lines.append(f"attempt(lambda: list(range({start}, {stop}, {step})))")
            lines.append(f"attempt(lambda: [x for x in range({start}, {stop}, {step})][-2:])")
            lines.append(f"attempt(lambda: len(range({start}, {stop}, {step})))")
            lines.append(f"attempt(lambda: list(reversed(range({start}, {stop}, {step}))))")
    assert_alike(any_device, ATTEMPT + "\n".join(lines))


def test_long_ranges(any_device: Device) -> None:
    lines = [
        f"attempt(lambda: {text})"
        for limits in (f"{MOST}", f"{LEAST}, {MOST}", f"{LEAST}, {MOST}, 3", f"{MOST}, {LEAST}, -2")
        for text in (
            f"len(range({limits}))",
            f"bool(range({limits}))",
            f"range({limits}) == range({limits})",
            f"range({limits}) == range({LEAST}, {MOST - 1})",
            f"7 in range({limits})",
            f"range({limits}).count({MOST - 1})",
        )
    ]
    lines.append(f"attempt(lambda: range({MOST})[-1])")
    assert_alike(any_device, ATTEMPT + "\n".join(lines))


def test_membership(any_device: Device) -> None:
    program = ATTEMPT + "class Integer(int): pass\n"
    program += "class Equal:\n    def __init__(self, n): self.n = n\n"
    program += "    def __eq__(self, other): return other == self.n\n"
    values = [*map(str, VALUES), *OTHERS]
    ranges = [
        f"range({start}, {stop}, {step})" for start, stop in ENDS for step in (1, 3, -1, -2, 2**62)
    ]
    for text in ranges:
        program += f"r = {text}\n"
        program += f"for v in ({', '.join(values)}):\n"
        program += "    attempt(lambda: (v in r, v not in r, r.__contains__(v), r.count(v)))\n"
        program += "    attempt(lambda: r.index(v))\n"
    program = program.replace("Equal(2))", "Equal(2),)").replace("attempt(lambda: r.index(v))", (
        "if type(v) is not Equal: attempt(lambda: r.index(v))"
    ))  # fmt: skip
    assert_alike(any_device, program)


@pytest.mark.parametrize("text", ["in r", "not in r"])
def test_membership_takes_no_iterations(any_device: Device, text: str) -> None:
    """CPython finds an int in constant time too. Upstream takes a step for each item."""
    program = f"r = range(0, 10**15, 3)\nprint([v {text} for v in (10**15 - 1, 10**15 - 2, -1)])\n"
    program += "print(r.count(3 * 10**14), r.index(3 * 10**14))\n"
    result = run(any_device, [Program(program, "a.py")], 1, Launch(max_steps=10_000))
    expected = "True, False, False" if text == "in r" else "False, True, True"
    assert result.stdout[0].decode() == f"[{expected}]\n1 {10**14}\n"
