"""Interpreters mount littlefs images whose bytes were changed: none breaks, neighbours are exact.

An image is the only file from outside that interpreters read without a check by the host: a launch
copies it as it is. Its metadata has checksums, its data has none.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from porter.fs import Image
from porter.run import Device, Launch, Program, run

BLOCK = 512
COUNT = 96  # interpreters of a launch; every eighth has the image as it was
PROGRAM = """\
import os
def walk(path, depth):
    for entry in os.ilistdir(path):
        name = path + "/" + entry[0]
        try:
            if entry[1] == 0x4000:
                if depth < 4:
                    walk(name, depth + 1)
            else:
                with open(name, "rb") as f:
                    while f.read(100): pass
                    f.seek(3)
                    f.read(1)
                os.stat(name)
        except OSError:
            pass
def write(name):
    with open(name, "wb") as f:
        for i in range(20): f.write(b"x" * 50)
for call, *arguments in ((walk, "", 0), (os.statvfs, "/"), (write, "new"), (write, "a.txt"),
                         (os.rename, "a.txt", "d/b.txt"), (os.remove, "lib/m.py"),
                         (os.mkdir, "q"), (walk, "", 0)):
    try:
        call(*arguments)
    except OSError:
        pass
try:
    with open("f3.txt", "rb") as f: print(len(f.read()))
except OSError:
    print("no file")
"""
WORDS = (0, 1, 2, 3, 31, 32, 0x7FFFFFFF, 0xFFFFFFFF)
ENDS = {"OK", "NO_FILE_SYSTEM", "OUT_OF_STEPS"}


def whole_image() -> bytes:
    image = Image.empty(16 * 1024, BLOCK)
    for i in range(6):
        image.write(f"f{i}.txt", b"%d " % i * (50 * i + 1))
    image.write("a.txt", b"a" * 700)
    image.write("d/e/f.txt", b"deep")
    image.write("lib/m.py", b"x=1\n" * 100)
    return image.data


def changed(image: bytes, chance: random.Random) -> bytes:
    """Return the image with flipped bits, other words, or a block in the place of another."""
    data = bytearray(image)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        at = chance.randrange(len(data) if chance.random() < 0.3 else 8 * BLOCK)
        how = chance.random()
        if how < 0.5:
            data[at] ^= 1 << chance.randrange(8)
        elif how < 0.85:
            at -= at % 4
            data[at : at + 4] = chance.choice(WORDS).to_bytes(4, "little")
        else:
            start, end = (chance.randrange(0, len(data), BLOCK) for _ in range(2))
            data[end : end + BLOCK] = data[start : start + BLOCK]
    return bytes(data)


def check(device: Device, seed: int) -> int:
    """Run a launch; return the number of images that did not mount."""
    chance, whole = random.Random(seed), whole_image()
    images = [whole if i % 8 == 0 else changed(whole, chance) for i in range(COUNT)]
    memory = device.array(np.frombuffer(b"".join(images), np.uint8))
    launch = Launch(fs=memory, fs_shared=False, fs_block=BLOCK, max_steps=200_000, timeout=120.0)
    result = run(device, [Program(PROGRAM, "images.py")], COUNT, launch)
    assert not result.interrupted
    ends = [result.statuses(int(status)).name for status in result.status]
    assert set(ends) <= ENDS, (seed, ends)
    for i in range(0, COUNT, 8):
        assert (ends[i], result.stdout[i]) == ("OK", b"302\n"), (seed, i)
    return ends.count("NO_FILE_SYSTEM")


def test_changed_images(any_device: Device) -> None:
    assert sum(check(any_device, seed) for seed in range(2)) > 0


@pytest.mark.campaign("fuzz")
@pytest.mark.parametrize("seed", range(2, 102, 10))
def test_many_changed_images(any_device: Device, seed: int) -> None:
    for each in range(seed, seed + 10):
        check(any_device, each)
