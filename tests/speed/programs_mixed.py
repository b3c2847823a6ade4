"""Launches of several programs, and the comparison of two results."""

from __future__ import annotations

import numpy as np

from porter.run import Device, Result

# Programs that read their position and their own data; some fail, some do not parse.
KINDS = [
    "print(threadIdx, numThreads, blockIdx, blockDim, localIdx, {p})",
    "import sys\nprint(sys.stdin.readline().strip(), {p})",
    "import random\nprint(random.getrandbits(30), random.random())",
    "def f(n):\n    return [threadIdx * i for i in range(n)]\nprint(f({p}))",
    "print('line'); raise ValueError(threadIdx + {p})",
    "import sys\nsys.exit(threadIdx % 5 + {p})",
    "x = (\n{p} =",
    "def g():\n    return {p} // (threadIdx - threadIdx)\ng()",
    "x = [0] * 1000000",
    "for i in range(threadIdx % 7 + {p}):\n    pass",
    "while True:\n    pass",
]


def sources(count: int) -> list[str]:
    """Return `count` different programs."""
    return [KINDS[p % len(KINDS)].format(p=p) for p in range(count)]


def mixed(count: int, n: int, rests: int | None = None) -> np.ndarray:
    """Return the program index of each of `n` interpreters; neighbours run different programs."""
    which = np.random.default_rng(count * n).integers(0, count, n).astype(np.uint32)
    if rests is not None:
        which[:: n // 7] = rests
    return which


def assert_same(first: Result, other: Result, device: Device) -> None:
    """Check that two launches have equal results, byte for byte."""
    assert (other.status == first.status).all()
    assert (other.exit_code == first.exit_code).all()
    assert (other.steps == first.steps).all()
    for name in ("stdout", "stderr"):
        a, b = getattr(first, name), getattr(other, name)
        assert (device.host(a.lengths) == device.host(b.lengths)).all()
        assert (device.host(a.words) == device.host(b.words)).all()
    if first.values is not None and other.values is not None:
        assert (device.host(first.values.kind) == device.host(other.values.kind)).all()
        assert (device.host(first.values.bits) == device.host(other.values.bits)).all()
    assert first.lacks == other.lacks
    assert first.limited == other.limited
