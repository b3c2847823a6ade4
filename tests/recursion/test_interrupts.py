"""Long loops in C code can be interrupted, and stopped when the program ignores that."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from porter.base import paths
from porter.config import BuildConfig
from porter.pipeline import build
from porter.run import Device, Launch, open_device, run
from porter.sync.lock import newest_release

LOOPS = {
    "sum": "sum(range(10 ** 18))",
    "any": "any(0 for x in range(10 ** 18))",
    "maximum": "max(range(10 ** 18))",
    "membership": "-1 in iter(range(10 ** 18))",
    "map": "any(map(lambda x: False, range(10 ** 18)))",
    "regular expression": "import re\nre.match('a?' * 30 + 'a' * 30, 'a' * 29)",
    "deque": "from collections import deque\ndeque(range(10 ** 18), 3)",
    "line": "CANVAS.line(0, 0, 1 << 40, 1, 1)",
    "polygon": "CANVAS.poly(0, 0, array('q', [0, -1 << 40, 5, 1 << 40, 9, 0]), 1, True)",
}
CANVAS = """
import framebuf
from array import array
CANVAS = framebuf.FrameBuffer(bytearray(64), 8, 8, framebuf.GS8)
"""


@pytest.fixture(scope="module")
def device() -> Device:
    release = newest_release()
    if not (paths.upstream_dir() / release / "py").is_dir():
        pytest.skip(f"{release} is not synced")
    folder: Path = build(BuildConfig(release=release, heap=64 * 1024, arena="global")).folder
    return open_device(folder, "host")


@pytest.mark.parametrize("name", LOOPS)
def test_interrupt(device: Device, name: str) -> None:
    program = (CANVAS if "CANVAS" in LOOPS[name] else "") + LOOPS[name]
    result = run(device, [program], 1, Launch(timeout=0.2, stack=32 * 1024))
    assert result.interrupted and result.seconds < 2.0
    assert b"KeyboardInterrupt" in result.stderr[0]


def test_hard_stop(device: Device) -> None:
    program = "while True:\n    try:\n        sum(range(10 ** 18))\n"
    program += "    except KeyboardInterrupt:\n        pass\n"
    result = run(device, [program], 1, Launch(timeout=0.2))
    assert result.status[0] == device.built.constants["GPUSNEK_STOPPED"]


def test_a_polygon_of_many_corners(device: Device) -> None:
    """The working memory is 8 bytes per corner, independent of the C stack."""
    fill = CANVAS + "corners = array('h', bytes(4 * {}))\nCANVAS.poly(0, 0, corners, 1, True)\n"
    launch = Launch(stack=16 * 1024, heap=128 * 1024)
    programs = [fill.format(5000) + "print('drawn')", fill.format(20000)]
    result = run(device, programs, 2, launch, program_of=np.arange(2, dtype=np.uint32))
    assert result.stdout[0] == b"drawn\n"
    assert b"MemoryError" in result.stderr[1]
