"""Expressions of constants: small ones are computed once, large ones count as a program's work."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run
from tests.library.compare import ROOMY, assert_alike

VALUES = """
print(2**100, 10**18 * 7, 1 << 90, -(1 << 129), (-2)**3, 2**1000 % 7, 3**130, 2.0**-3, 10**-2)
print(2**128 * 2**128 * 2**128 * 2**128 % 1009, (1 << 128 << 128 << 128) % 1009, 5**0, 7 // 2 % 2)
print(len(str(10**300)), hash(2**200) == hash(2**200), True << 3, 1 << True)
"""
LARGE = [
    "10**1000000",
    "1 << (10**7)",
    "7**7**7**7",
    "(10**128)**128**2",
    "*".join(["9**120"] * 4000),
]


def test_values(any_device: Device) -> None:
    assert_alike(any_device, VALUES)


@pytest.mark.parametrize("expression", LARGE, ids=lambda text: text[:16])
def test_large_powers_count_steps(any_device: Device, expression: str) -> None:
    launch = Launch(heap=ROOMY.heap, stack=ROOMY.stack, max_steps=100_000, timeout=60.0)
    result = run(any_device, [f"if 0:\n    x = {expression}\nprint(1)\n"], 1, launch)
    assert result.stdout[0] == b"1\n"  # the compiler has not computed it
    result = run(any_device, [f"x = {expression}\n"], 1, launch)
    ends = ("GPUSNEK_OUT_OF_STEPS", "GPUSNEK_UNCAUGHT", "GPUSNEK_OK")
    constants = any_device.built.constants
    assert int(result.status[0]) in [constants[name] for name in ends if name in constants]
