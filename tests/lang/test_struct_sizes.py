"""Formats of struct whose sizes overflow: an error, and no byte outside of the buffer."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run

# The sum of the sizes wraps at 2**64 to a size that fits into the buffer.
WRAPPED = """
import struct
def tried(f, *args):
    try:
        f(*args)
    except (ValueError, OverflowError, MemoryError) as e:
        return 'refused'
    return 'accepted'
big = 2**62 - 1
for rest in ('8s', 'Q', 'B'):
    for fmt in (
        '%dx%dx%dx%dx' % (big, big, big, big) + '4x' + rest,
        '%ds%ds%ds%ds' % (big, big, big, big) + '4x' + rest,
        '%dx' % (2**63 - 1) + '%dx' % (2**63 - 1) + '2x' + rest,
        '%dx' % (2**63 - 9) + '%dx' % (2**63 - 1) + rest + rest,
    ):
        b = bytearray(64)
        print(tried(struct.unpack_from, fmt, b), tried(struct.pack_into, fmt, b, 0, b'', 1, 2))
"""


def test_sums_that_wrap_are_refused(any_device: Device) -> None:
    result = run(any_device, [WRAPPED], 3, Launch(heap=256 << 10, stdout=4096))
    result.raise_for_status()
    assert set(result.stdout[0].split()) == {b"refused"}, result.stdout[0]


MANY = """
import struct
M = 2**46 - 1
times = 262143
n = 2**64 - times * M - 1000 - 8
f = '1000x8s' + ('%dx' % M) * times + '%dx' % n
b = bytearray(8)
for call in (lambda: struct.unpack_from(f, b, 0), lambda: struct.pack_into(f, b, 0, b'ATTACK!!')):
    try:
        call()
        print('accepted')
    except (ValueError, OverflowError):
        print('refused')
"""


@pytest.mark.parametrize("any_device", ["host"], indirect=True)
def test_many_counts_that_wrap_are_refused(any_device: Device) -> None:
    result = run(any_device, [MANY], 1, Launch(heap=16 << 20))
    result.raise_for_status()
    assert result.stdout[0] == b"refused\nrefused\n"


@pytest.mark.parametrize("number", ["1 << 46", "1 << 62", "(1 << 63) - 1", "1 << 63", "1 << 100"])
def test_a_count_is_a_number(any_device: Device, number: str) -> None:
    program = f"""
import struct
n = {number}
try:
    size = struct.calcsize('%ds' % n)
    print(size == n)
except (OverflowError, struct.error):
    print(n >= 1 << 46)
"""
    result = run(any_device, [program], 2)
    result.raise_for_status()
    assert result.stdout[0] == b"True\n"


IDS = """
import uctypes
x = [1, 2, 3]
def f(): pass
for o in (x, f, uctypes, 'text' * 9, type, None, 1.5, 7):
    assert id(o) == id(o)
    assert isinstance(id(o), int)
print(id(x) >= 0, id(f) > 0, id(x) != id([]), {id(x): 1}[id(x)])
print(len(uctypes.bytes_at(id(x), 8)))
"""


def test_ids_are_addresses(any_device: Device) -> None:
    result = run(any_device, [IDS], 2)
    result.raise_for_status()
    assert result.stdout[0] == b"True True True 1\n8\n"
