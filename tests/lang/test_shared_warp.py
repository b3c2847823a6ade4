"""Interpreters that share a warp with an endless one succeed, and end before it."""

from __future__ import annotations

import numpy as np
import pytest
from endless import SLOW

from porter.run import Device, Launch, run

WARP, ENDLESS = 32, 5
DEADLINE = 1.5  # seconds of the endless interpreter
WORK = """
d = {}
for i in range(60):
    d[str(i)] = '%.3f' % (i / 7)
print(len(d), d['59'])
"""
# Loops with short turns, with turns over a megabyte, in the VM, in C, and in C that calls Python.
KINDS = [
    ("sequences", "list"),
    ("sequences", "equality"),
    ("iterators", "map"),
    ("text", "find"),
    ("text", "long line"),
    ("text", "lines"),
    ("modules", "polygon"),
    ("modules", "poll"),
]


@pytest.mark.parametrize(("kind", "name"), KINDS, ids=[": ".join(pair) for pair in KINDS])
def test_the_others_end_well(roomy_device: Device, kind: str, name: str) -> None:
    which = np.zeros(WARP, np.uint32)
    which[ENDLESS] = 1
    limits = [DEADLINE if i == ENDLESS else 0.8 * DEADLINE for i in range(WARP)]
    launch = Launch(heap=1 << 20, block=WARP, order=False, deadline=limits, timeout=60)
    result = run(roomy_device, [WORK, SLOW[kind][name]], WARP, launch, program_of=which)
    ended = [result.statuses(int(code)).name for code in np.asarray(result.status)]
    assert ended.pop(ENDLESS) == "OUT_OF_TIME"
    assert set(ended) == {"OK"}
    assert {result.stdout[i] for i in range(WARP) if i != ENDLESS} == {b"60 8.429\n"}
