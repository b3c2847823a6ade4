"""Tuples and lists compare as in CPython."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porter.run import Device, Launch, run

NUMBERS = st.sampled_from([0, 1, -1, True, False, 1.0, -0.0, 0.5, 1 << 46, 1 << 70])
ITEMS = st.one_of(NUMBERS, st.tuples(NUMBERS), st.sampled_from(["", "a", "ab", "b"]))
SAME = st.lists(ITEMS, max_size=5)
OTHER = st.tuples(SAME, st.integers(0, 5), st.lists(ITEMS, max_size=3))

EACH = """
nan = float('nan')
def less(a, b):
    try:
        return a < b, a <= b, a > b, a >= b
    except TypeError:
        return 'TypeError'
for a, b in PAIRS:
    print(a == b, a != b, less(a, b), tuple(a) == tuple(b), less(tuple(a), tuple(b)))
print((nan,) == (1,), (nan,) < (nan, 2) or (nan, 1) < (nan, 2), [1, nan] == [2, nan])
"""


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(OTHER, max_size=40))
def test_as_cpython_compares(roomy_device: Device, drawn: list[tuple[list[Any], int, Any]]) -> None:
    """The two lists of a pair have a common prefix."""
    pairs = [(items, items[:at] + rest) for items, at, rest in drawn]
    lines: list[str] = []
    exec(EACH, {"PAIRS": pairs, "print": lambda *a: lines.append(" ".join(map(str, a)))})
    result = run(
        roomy_device, [f"PAIRS = {pairs!r}\n{EACH}"], 1, Launch(heap=1 << 20, stdout=1 << 17)
    )
    assert result.stderr[0] == b""
    assert result.stdout[0].decode().splitlines()[:-1] == lines[:-1]
    assert result.stdout[0].decode().splitlines()[-1].startswith("False")


def test_what_a_comparison_raises(roomy_device: Device) -> None:
    program = """
class Bad:
    def __eq__(self, other): raise KeyError
b = Bad()
for left, right in ((1, b), (1, Bad())), ([b], [Bad()]), ((1, b), (2, Bad())):
    try:
        print(left == right, left < right)
    except KeyError:
        print('KeyError')
"""
    assert run(roomy_device, [program], 2).stdout[1] == b"KeyError\nKeyError\nFalse True\n"
