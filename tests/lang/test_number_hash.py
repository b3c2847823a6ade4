"""Hashes of longs and floats distinguish different values, and equal values have equal hashes."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run

EDGES = [
    sign * (power + step)
    for power in (1 << 45, 1 << 46, 1 << 47, 1 << 52, 1 << 53, 1 << 61, 1 << 62, 1 << 63, 1 << 64)
    for step in (-1, 0, 1)
    for sign in (1, -1)
]
WHOLE = [
    10**18,
    10**20,
    10**22,
    3 << 70,
    123456789 << 40,
    5 << 61,
    2**100,
    2**1000,
    (2**53 - 1) << 900,
]

# A long that is made at run time, and a long in the range of small ints.
EQUAL = """
for n in CASES:
    made = int(str(n))
    far = (made << 200) >> 200
    same = [hash(made) == hash(n), hash(far) == hash(n), {n: 1}.get(far), {far: 1}.get(made)]
    if abs(n) < 1 << 1000 and int(float(n)) == n:
        f = float(n)
        same += [hash(f) == hash(n), {n: 1}.get(f), {f: 1}.get(far), hash(-f) == hash(-n)]
    print(n, all(same))
"""


def test_equal_numbers_have_equal_hashes(roomy_device: Device) -> None:
    cases = EDGES + WHOLE + [-n for n in WHOLE]
    result = run(
        roomy_device, [f"CASES = {cases}\n{EQUAL}"], 2, Launch(heap=1 << 19, stdout=1 << 15)
    )
    assert result.stderr[0] == b""
    assert result.stdout[1].decode().splitlines() == [f"{n} True" for n in cases]


def test_small_hashes_are_as_before(roomy_device: Device) -> None:
    program = """
numbers = [0, 1, -5, (1 << 46) - 1, -(1 << 46)]
print([hash(n) == n and hash(float(n)) == n for n in numbers])
print(hash(2.5) == hash(2.5), hash(2.5) != hash(2.25), hash(-0.0), hash(5e-324) != hash(1e-323))
print(len({float('inf'), -float('inf'), 1e308, 0.5, 0.25, 0.0, -0.0, 5e-324}))
"""
    lines = run(roomy_device, [program], 2).stdout[1].splitlines()
    assert lines == [b"[True, True, True, True, True]", b"True True 0 True", b"7"]


# Objects that have the hash of a number, and count how often they are compared.
COMPARED = """
class K:
    compared = 0
    def __init__(self, v):
        self.v = v
        self.h = hash(v)
    def __hash__(self): return self.h
    def __eq__(self, o):
        K.compared += 1
        return self.v == o.v
d = {K(i * FACTOR): i for i in range(400)}
print(sum(d[K(i * FACTOR)] for i in range(400)), K.compared)
"""


@pytest.mark.parametrize(
    "factor", ["1 << 47", "-1 << 60", "1 << 61", "3 << 64", "10 ** 40", "1e25"]
)
def test_few_keys_share_a_place(roomy_device: Device, factor: str) -> None:
    """With low bits alone all multiples of 2**47 would share a place: 160,000 comparisons."""
    program = COMPARED.replace("FACTOR", f"({factor})")
    found, compared = map(
        int, run(roomy_device, [program], 2, Launch(heap=1 << 18)).stdout[1].split()
    )
    assert found == sum(range(400)) and 400 <= compared < 4000
