"""os.statvfs never reports a negative number of free blocks."""

from __future__ import annotations

from porter.fs import Image
from porter.run import Device, Launch, run
from porter.run.filesystem import mounted

FILL = """
import os
empty = os.statvfs('/')
file = open('a', 'w')
try:
    while True:
        file.write('x' * 100)
        file.flush()
except OSError:
    pass
others = [open('a') for _ in range(5)]
full = os.statvfs('/')
print(empty[2], 0 <= full[3] == full[4] < 3, full[3] < empty[3] <= empty[2])
"""


def test_a_full_image(any_device: Device) -> None:
    image = Image.empty(32 * 1024)
    launch = mounted(Launch(heap=64 * 1024), any_device, image, 2, shared=False)
    result = run(any_device, [FILL], 2, launch)
    assert [result.stdout[i] for i in range(2)] == [b"64 True True\n"] * 2, result.stderr[0]
