"""Concurrent atomics of many blocks and threads on the same memory."""

from __future__ import annotations

import numpy as np
import pytest

from porter.run import Device, Launch, run

N, TIMES = 300, 40

COUNTING = f"""
import gpu
tickets = [gpu.atomic_add(counts, 0, 1) for i in range({TIMES})]
assert tickets == sorted(set(tickets))
gpu.atomic_max(counts, 1, tickets[-1])
gpu.atomic_min(counts, 2, -threadIdx)
for i in range({TIMES}):
    gpu.atomic_add(sums, 0, 0.25)
    gpu.atomic_max(sums, 1, threadIdx / 2)
    gpu.atomic_min(sums, 2, -threadIdx / 2)
    while True: # what no other operation does
        old = wide[1]
        if gpu.atomic_cas(wide, 1, old, (old * 5 + 1) % (1 << 64)) == old:
            break
    gpu.atomic_add(wide, 0, 1 << 35)
"""


@pytest.mark.parametrize("block", [1, 64])
@pytest.mark.parametrize("kind", [np.int32, np.uint32, np.int64])
def test_none_is_lost(any_device: Device, block: int, kind: type) -> None:
    program = COUNTING if kind is not np.uint32 else COUNTING.replace("-threadIdx)", "threadIdx)")
    counts = any_device.zeros(3, kind)
    sums = any_device.zeros(3, np.float64)
    wide = any_device.zeros(2, np.uint64)
    bind = {"counts": counts, "sums": sums, "wide": wide}
    result = run(any_device, [program], N, Launch(block=block, bind=bind))
    assert [group.text for group in result.stderr.groups] == [b""]
    least = 0 if kind is np.uint32 else -(N - 1)
    assert any_device.host(counts).tolist() == [N * TIMES, N * TIMES - 1, least]
    assert any_device.host(sums).tolist() == [N * TIMES / 4, (N - 1) / 2, -(N - 1) / 2]
    chained = 0
    for _ in range(N * TIMES):
        chained = (chained * 5 + 1) % 2**64
    assert any_device.host(wide).tolist() == [N * TIMES << 35, chained]


def test_a_lock(any_device: Device) -> None:
    program = "import gpu\nfor i in range(20):\n"
    program += "    while gpu.atomic_cas(cells, 0, 0, 1):\n        pass\n"
    program += "    n = cells[1]\n    for j in range(20):\n        pass\n    cells[1] = n + 1\n"
    program += "    gpu.atomic_exchange(cells, 0, 0)\n"
    cells = any_device.zeros(2, np.int32)
    result = run(any_device, [program], 96, Launch(block=32, bind={"cells": cells}, timeout=60.0))
    assert not result.interrupted
    assert any_device.host(cells).tolist() == [0, 96 * 20]


def test_floats_of_four_bytes(any_device: Device) -> None:
    sums = any_device.zeros(1, np.float32)
    program = "import gpu\nfor i in range(8):\n    gpu.atomic_add(sums, 0, 0.5)"
    run(any_device, [program], 1000, Launch(bind={"sums": sums}))
    assert any_device.host(sums).tolist() == [4000.0]
