"""Endless loops in C code are stopped soon after their time limit; neighbours continue."""

from __future__ import annotations

import numpy as np
import pytest
from endless import SLOW

from porter.run import Device, Launch, run
from porter.run.launch import wait

pytestmark = pytest.mark.campaign("limits")

PROGRAMS = [(kind, name) for kind, programs in SLOW.items() for name in programs]
TIME, GRACE = 0.4, 0.4  # seconds until the interruption, and from it to the hard stop
LATE = 0.5  # the clock is checked every 0.1 s, and machines have other load


@pytest.mark.parametrize(("kind", "name"), PROGRAMS, ids=[": ".join(pair) for pair in PROGRAMS])
def test_it_is_stopped(
    roomy_device: Device, monkeypatch: pytest.MonkeyPatch, kind: str, name: str
) -> None:
    monkeypatch.setattr(wait, "GRACE", GRACE)
    launch = Launch(timeout=TIME, heap=1 << 20, stack=64 << 10, block=1)
    result = run(
        roomy_device,
        [SLOW[kind][name], "print(sum(range(100)))"],
        3,
        launch,
        program_of=np.array([1, 1, 0], dtype=np.uint32),
    )
    assert result.seconds < TIME + GRACE + LATE
    constants = roomy_device.built.constants
    assert [result.stdout[0], result.stdout[1]] == [b"4950\n", b"4950\n"]
    assert result.status[0] == result.status[1] == constants["GPUSNEK_OK"]
    assert result.status[2] in (constants["GPUSNEK_STOPPED"], constants["GPUSNEK_EXCEPTION"])


def test_what_a_program_catches_is_no_way_out(
    roomy_device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wait, "GRACE", GRACE)
    program = (
        "while True:\n try:\n  sum(range(1 << 60))\n except KeyboardInterrupt:\n  [] * (1 << 60)"
    )
    result = run(roomy_device, [program], 1, Launch(timeout=TIME))
    assert result.status[0] == roomy_device.built.constants["GPUSNEK_STOPPED"]
