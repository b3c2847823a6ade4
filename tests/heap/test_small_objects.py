"""Small objects take as much memory as in upstream, and the fast path respects all limits."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run

# Memory for objects of `n` bytes, from sizes that are all small to sizes that are all large.
SIZES = """
import gc
def taken(n):
    gc.collect()
    before = gc.mem_alloc()
    kept = bytearray(n)
    return gc.mem_alloc() - before
taken(1)
one = taken(1)
for n in range(1, 1400, 3):
    if taken(n) - one != (n - 1) // 32 * 32:
        print(n, taken(n))
"""

# Garbage of 32 bytes per object: with a threshold it is collected while most of the heap is free.
THRESHOLD = """
import gc
gc.collect()
gc.threshold(LIMIT)
least, most = gc.mem_alloc(), 0
for i in range(1500):
    object = [i]
    now = gc.mem_alloc()
    if now > most:
        most = now
print(most - least < 8000)
"""

LOCKED = """
import gc, micropython
kept, failed = [None] * 4, 0
micropython.heap_lock()
for i in range(4):
    try:
        kept[i] = [i, i]
    except MemoryError:
        failed += 1
micropython.heap_unlock()
print(failed, kept)
kept[0] = [1, 1]
print(kept[0])
"""

CHAIN = """
import gc
head = None
for i in range(4000):
    head = (i, head)
    if i % 40 == 39:
        gc.collect()
    if i % 400 == 399:
        head = None
count = 0
head = None
for i in range(300):
    head = (i, [i] * (i % 34), head)
while head:
    count += head[0] + len(head[1])
    head = head[2]
print(count)
"""


def printed(device: Device, program: str, heap: int = 1 << 17) -> bytes:
    result = run(device, [program], 3, Launch(heap=heap))
    assert result.stderr[2] == b""
    return result.stdout[2]


def test_sizes_up_to_large_ones(any_device: Device) -> None:
    assert printed(any_device, SIZES) == b""


@pytest.mark.parametrize(("limit", "small"), [("2000", True), ("-1", False)])
def test_a_threshold_collects(any_device: Device, limit: str, small: bool) -> None:
    assert printed(any_device, THRESHOLD.replace("LIMIT", limit)) == b"%s\n" % str(small).encode()


def test_a_locked_heap_gives_nothing(any_device: Device) -> None:
    assert printed(any_device, LOCKED) == b"4 [None, None, None, None]\n[1, 1]\n"


def test_objects_stay_apart(any_device: Device) -> None:
    expected = sum(i + i % 34 for i in range(300))
    assert printed(any_device, CHAIN) == b"%d\n" % expected


def test_allocations_are_counted_as_before(any_device: Device) -> None:
    """Each allocation can fail, also of small objects, and exactly the requested one does."""
    program = "x = [(i, [i]) for i in range(20)]\nprint(len(x))"
    seen = set()
    for number in range(1, 400, 13):
        result = run(any_device, [program], 1, Launch(heap=1 << 16, fail_allocation=[number]))
        seen.add(result.stdout[0] or result.stderr[0].splitlines()[-1])
    assert b"20\n" in seen and any(b"MemoryError" in text for text in seen)
