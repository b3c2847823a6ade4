"""time.sleep: CPython's semantics, and the requested duration."""

from __future__ import annotations

import numpy as np
import pytest

from porter.run import Device, Launch, run


@pytest.mark.parametrize("call", ["sleep(1e18)", "sleep(1e300)", "sleep(1 << 80)",
                                  "sleep_ms(1 << 61)", "sleep_us(1 << 61)"])  # fmt: skip
def test_a_long_time(any_device: Device, call: str) -> None:
    result = run(any_device, [f"import time\ntime.{call}\nprint(1)"], 2, Launch(timeout=0.2))
    assert result.interrupted and result.stdout.longest == 0
    assert b"KeyboardInterrupt" in result.stderr[0]


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("-1", b"ValueError: sleep length must be non-negative"),
        ("-1e300", b"ValueError: sleep length must be non-negative"),
        ("float('nan')", b"ValueError: Invalid value NaN"),
        ("float('inf')", b"OverflowError: timestamp out of range"),
        ("'a'", b"TypeError"),
    ],
)
def test_no_time(any_device: Device, value: str, error: bytes) -> None:
    result = run(any_device, [f"import time\ntime.sleep({value})"], 2, Launch(timeout=20.0))
    assert not result.interrupted and error in result.stderr[0]


def test_a_short_time(any_device: Device) -> None:
    program = "import time\nstart = time.ticks_us()\ntime.sleep(%s)\n"
    program += "print(time.ticks_diff(time.ticks_us(), start) >= %d)"
    programs = [program % ("0.0025", 2500), program % ("-0.0", 0), program % ("True", 10**6)]
    result = run(any_device, programs, 3, program_of=np.arange(3))
    assert [result.stdout[i] for i in range(3)] == [b"True\n"] * 3, result.stderr[0]
