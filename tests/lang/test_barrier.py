"""syncthreads(): its semantics, and that ended or stopped interpreters block no others."""

from __future__ import annotations

import numpy as np
import pytest

from porter.errors import UsageError
from porter.run import Device, Launch, Result, run

BLOCKS = [
    (1, 1),
    (8, 8),
    (20, 7),
    (96, 32),
    (200, 64),
    (256, 256),
]  # interpreters, interpreters of a block


def run_shared(device: Device, program: str, n: int, block: int, **settings: object) -> Result:
    """Run `program` on memory that all share: `shared`, n bytes of 0 for each of 8 rounds."""
    bind = {"shared": device.zeros(8 * n, np.uint8)}
    return run(device, [program], n, Launch(block=block, bind=bind, **settings))  # type: ignore[arg-type]


def ended_well(device: Device, result: Result) -> bool:
    return bool((result.status == device.built.constants["GPUSNEK_OK"]).all())


ROUNDS = """
first = blockIdx * blockDim
last = min(first + blockDim, numThreads)
seen = []
for round in range(8):
    for i in range(threadIdx * 37 % 100):
        pass  # interpreters come to the barrier at different times
    row = round * numThreads
    shared[row + threadIdx] = 1
    syncthreads()
    seen.append(sum(shared[row + first:row + last]) == last - first)
print(all(seen))
"""


@pytest.mark.parametrize(("n", "block"), BLOCKS)
def test_none_goes_on_before_all_are_there(any_device: Device, n: int, block: int) -> None:
    result = run_shared(any_device, ROUNDS, n, block)
    assert ended_well(any_device, result), result.stderr[0]
    assert [group.text for group in result.stdout.groups] == [b"True\n"]


def test_places(any_device: Device) -> None:
    program = "print(threadIdx, blockIdx, blockDim, localIdx, numThreads)"
    result = run(any_device, [program], 10, Launch(block=4))
    expected = [f"{i} {i // 4} 4 {i % 4} 10\n".encode() for i in range(10)]
    assert [result.stdout[i] for i in range(10)] == expected
    later = run(any_device, [program], 8, Launch(block=4, first=8, total=16))
    assert later.stdout[5] == b"13 3 4 1 16\n"


ENDINGS = {
    "returns": "",
    "raises": "raise ValueError('enough')",
    "exits": "import sys\nsys.exit(3)",
    "out of memory": "x = bytearray(1 << 30)",
    "too deep": "def f():\n    f()\nf()",
    "in a function": "def f():\n    syncthreads()\n    raise ValueError\nf()",
    "stops later": "syncthreads()\nsyncthreads()\n1 // 0",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_neighbours_that_end(any_device: Device, ending: str) -> None:
    early = ENDINGS[ending].replace("\n", "\n    ")
    program = f"if threadIdx % 3 == 1:\n    {early or 'pass'}\nelse:\n"
    program += "    for i in range(9):\n        syncthreads()\n    print('through')\n"
    result = run(any_device, [program], 40, Launch(block=16))
    others = [i for i in range(40) if i % 3 != 1]
    assert {result.stdout[i] for i in others} == {b"through\n"}
    assert {int(result.status[i]) for i in others} == {0}


def test_exceptions_around_the_barrier(any_device: Device) -> None:
    program = "try:\n    syncthreads()\n    1 // (threadIdx % 2)\nexcept ZeroDivisionError:\n"
    program += "    syncthreads()\nelse:\n    syncthreads()\nfinally:\n    syncthreads()\n"
    program += "def g():\n    yield syncthreads()\n    yield syncthreads()\nprint(list(g()))\n"
    result = run(any_device, [program], 32, Launch(block=32))
    assert [group.text for group in result.stdout.groups] == [b"[None, None]\n"]


SPIN = "if threadIdx % 8 == 5:\n    while True:\n        pass\n"
WAIT = "try:\n    syncthreads()\nexcept KeyboardInterrupt:\n    print('stopped')\n    raise\n"


def test_an_interrupt_reaches_those_who_wait(any_device: Device) -> None:
    result = run(any_device, [SPIN + WAIT], 32, Launch(block=16, timeout=0.3))
    assert result.interrupted
    assert all(b"KeyboardInterrupt" in result.stderr[i] for i in range(32))
    assert [result.stdout[i] for i in range(32)].count(b"stopped\n") == 28


def test_the_hard_stop_opens_the_barrier(any_device: Device) -> None:
    stubborn = "while threadIdx % 8 == 5:\n    try:\n        while True:\n            pass\n"
    stubborn += "    except KeyboardInterrupt:\n        pass\n"
    result = run(
        any_device, [stubborn + "while True:\n    syncthreads()\n"], 32, Launch(timeout=0.2)
    )
    stopped = any_device.built.constants["GPUSNEK_STOPPED"]
    assert [int(result.status[i]) for i in (5, 13, 21, 29)] == [stopped] * 4
    assert (result.status != 0).all()


def test_waiting_for_the_clock(any_device: Device) -> None:
    program = "import time\ntime.sleep_ms(threadIdx)\nsyncthreads()\nprint('up')"
    result = run(any_device, [program], 24, Launch(block=12))
    assert [(group.count, group.text) for group in result.stdout.groups] == [(24, b"up\n")]


@pytest.mark.parametrize("block", [-1, 1025, 1 << 20])
def test_blocks_that_cannot_be(any_device: Device, block: int) -> None:
    with pytest.raises(UsageError, match="block"):
        run(any_device, ["pass"], 4, Launch(block=block))


def test_waiting_for_a_neighbour_without_a_barrier(any_device: Device) -> None:
    program = "if threadIdx == 0:\n    while not shared[1]:\n        pass\n"
    program += "elif threadIdx == 1:\n    shared[1] = 1\nprint('seen')\n"
    result = run_shared(any_device, program, 2, 2, timeout=60.0)
    assert not result.interrupted
    assert result.stdout[0] == b"seen\n"
