"""Launches in which one interpreter accesses foreign memory, between others that do not."""

from __future__ import annotations

from typing import Any

import numpy as np

from porter.run import Device, Launch, Program, Result, run

NEIGHBOUR = """\
kept = []
for i in range(40):
    try:
        kept.append((i, str(i) * 3, [i] * 4, 1 / (i % 4)))
    except ZeroDivisionError as e:
        kept.append(repr(e))
print(threadIdx, 3 ** 99, len(kept), sorted({str(k): k for k in kept}))
"""

# Address 16 is in no process's memory.
LOAD = """\
import uctypes

def inner(address):
    return uctypes.bytes_at(address, 8)

print("before")
inner(16)
print("after")
"""

STORE = """\
import uctypes
print("before")
uctypes.bytearray_at(16, 8)[0] = 1
print("after")
"""


def run_one(device: Device, program: str, n: int, wild: int, **options: Any) -> Result:
    """Run `program` in interpreter `wild`, and NEIGHBOUR in all others of `n`."""
    which = np.ones(n, np.uint32)
    which[wild] = 0
    programs = [Program(program.encode(), "wild.py"), Program(NEIGHBOUR.encode(), "neighbour.py")]
    return run(device, programs, n, Launch(stdout=4096, **options), program_of=which)


def check_neighbours(device: Device, result: Result, wild: int) -> None:
    """Check that all others succeeded, with the output of a launch without a wild interpreter."""
    n = len(result.status)
    alone = run(device, [NEIGHBOUR], n, Launch(stdout=4096))
    assert (np.delete(result.status, wild) == device.built.status["OK"]).all()
    assert (np.delete(result.stderr.lengths, wild) == 0).all()
    others = [i for i in range(n) if i != wild]
    assert [result.stdout[i] for i in others] == [alone.stdout[i] for i in others]
