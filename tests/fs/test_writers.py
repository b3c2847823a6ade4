"""Many interpreters write one image: complete files or OSError, and never a broken image."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import pytest

from porter.fs import Image
from porter.run import Device, Launch, run
from porter.run.launch.options import Phase
from tests.fs.support import Shared

pytestmark = pytest.mark.gpu

EBUSY, ESTALE, EROFS = 16, 116, 30


@pytest.fixture
def image() -> Image:
    image = Image.empty(256 * 1024)
    image.write("shared.txt", b"old " * 500)
    image.write("lib/plain.py", b"value = 41\n\ndef more(x):\n    return x + 1\n")
    return image


# Sleeps while the file is open, so that the others meet an active writer on the host twin too.
CONTEND = """
import time
def attempt(name):
    try:
        with open(name, 'w') as f:
            for k in range(10):
                f.write('%6d ' % threadIdx * 30)
                time.sleep_us(100)
        print(name, 'written')
    except OSError as error:
        print(name, error.errno)
attempt('shared.txt')
attempt('own%d' % threadIdx)
"""


def content(index: int) -> bytes:
    return b"%6d " % index * 300


def test_a_refused_writer_leaves_no_trace_and_a_winner_is_whole(
    any_device: Device, image: Image
) -> None:
    shared = Shared.of(any_device, image)
    lines = shared.lines(CONTEND, 96, block=8)
    said = [dict(line.split() for line in own) for own in lines]
    files = shared.files()
    winners = {i for i in range(96) if said[i]["shared.txt"] == "written"}
    assert winners
    assert files["shared.txt"] in {content(i) for i in winners}
    errors = set()
    for i, own in enumerate(said):
        if own[f"own{i}"] == "written":
            assert files[f"own{i}"] == content(i)
        else:
            # Refused before the name was written, or later with an empty file.
            assert files.get(f"own{i}", b"") == b""
        errors |= {word for word in own.values() if word != "written"}
    assert errors <= {str(EBUSY), str(ESTALE)} and str(EBUSY) in errors
    assert files["lib/plain.py"] == image.read("lib/plain.py")
    assert not shared.held()


def test_retry_gets_everyone_through(any_device: Device, image: Image) -> None:
    program = """
import vram
def add():
    with open('log', 'a') as f:
        f.write('%d\\n' % threadIdx)
vram.retry(add)
"""
    shared = Shared.of(any_device, image)
    shared.lines(program, 64)
    assert sorted(map(int, shared.files()["log"].split())) == list(range(64))


def test_readers_beside_writers_see_whole_files(any_device: Device, image: Image) -> None:
    program = """
import time
seen = set()
for turn in range(30):
    try:
        if threadIdx % 8 == 0:
            with open('shared.txt', 'w') as f:
                f.write('%03d ' % (threadIdx + turn) * 500)
            seen.add('wrote')
        else:
            with open('shared.txt') as f:
                first = f.read(4)
                for k in range(499):
                    if f.read(4) != first:
                        seen.add('MIXED')
                if f.read(1):
                    seen.add('LONG')
            seen.add('read')
    except OSError as error:
        seen.add(error.errno)
    time.sleep_us(50)
print(*seen)
"""
    image.write("shared.txt", b"000 " * 500)
    shared = Shared.of(any_device, image)
    words = {word for (line,) in shared.lines(program, 64, block=16) for word in line.split()}
    assert {"read", "wrote"} <= words <= {"read", "wrote", str(EBUSY), str(ESTALE)}


HOLD = "f = open('held', 'w')\nf.write('x' * 3000)\n"


@pytest.mark.parametrize(
    ("end", "options"),
    [
        ("", {}),
        ("raise ValueError", {}),
        ("raise SystemExit", {}),
        ("while True: pass", {"timeout": 0.3}),
        ("while True:\n try:\n  while True: pass\n except BaseException: pass", {"timeout": 0.3}),
    ],
    ids=["end", "raise", "exit", "interrupt", "stop"],
)
def test_however_a_writer_ends_others_can_write(
    any_device: Device, image: Image, end: str, options: dict[str, Any]
) -> None:
    shared = Shared.of(any_device, image)
    shared.run(HOLD + end, 1, **options)
    assert not shared.held()
    assert shared.lines("open('next', 'w').close()\nprint('well')", 1) == [["well"]]
    assert shared.files()["held"] in (b"", b"x" * 3000)


def test_a_launch_that_is_over_holds_nothing(any_device: Device, image: Image) -> None:
    shared = Shared.of(any_device, image)
    config = any_device.built.config
    arenas = any_device.arenas(1, config["pystack"], config["heap"])
    shared.run(HOLD + "f.flush()", 1, Phase(arenas=arenas, stop=False))
    assert shared.held()
    assert shared.lines("open('next', 'w').close()\nprint('well')", 1) == [["well"]]
    # The interpreter that lost the image gets an error, closes the file, and may start again.
    program = """
try:
    f.write('y' * 3000)
except OSError as error:
    print(error.errno)
try:
    f.close()
except OSError as error:
    print(error.errno)
with open('again', 'w') as f:
    f.write('z')
print(open('next').read() == '')
"""
    lines = shared.lines(program, 1, Phase(arenas=arenas))[0]
    assert lines[0] == str(ESTALE) and lines[-1] == "True"
    assert shared.files() | {"held": b"x" * 3000, "next": b"", "again": b"z"} == shared.files()


def test_two_mounts_in_one_interpreter(any_device: Device, image: Image) -> None:
    program = """
import vfs
vfs.mount(VRAMBlockDevice(), '/again')
f = open('/one', 'w')
try:
    open('/again/two', 'w')
except OSError as error:
    print(error.errno)
f.write('1' * 1000)
f.close()
g = open('/shared.txt')
print(g.read(4))
with open('/again/two', 'w') as f:
    f.write('2' * 1000)
try:
    g.read(2000)
except OSError as error:
    print(error.errno)
g.close()
print(len(open("/two").read()))
"""
    expected = [str(EBUSY), "old ", str(ESTALE), "1000"]
    for shared in (True, False):
        if shared:
            lines = Shared.of(any_device, image).lines(program, 1)[0]
        else:
            launch = Launch(fs=any_device.array(_bytes(image)), fs_shared=False, fs_block=512)
            lines = run(any_device, [program], 1, launch).stdout[0].decode().splitlines()
        assert lines == expected


def test_without_a_guard_nobody_writes(any_device: Device, image: Image) -> None:
    shared = Shared.of(any_device, image)
    shared.launch = attrs.evolve(shared.launch, fs_guard=None)
    program = """
print(open('shared.txt').read(4))
for mode in 'wa':
    try:
        open('new', mode)
    except OSError as error:
        print(error.errno)
"""
    assert shared.lines(program, 40) == [["old ", str(EROFS), str(EROFS)]] * 40
    assert set(shared.files()) == {"shared.txt", "lib/plain.py"}


def test_import(any_device: Device, image: Image) -> None:
    shared = Shared.of(any_device, image)
    assert shared.lines("import plain\nprint(plain.more(plain.value))", 40) == [["42"]] * 40
    # One interpreter writes a module, and those of the next launch import it.
    shared.lines("with open('made.py', 'w') as f:\n f.write('def f(): return 7')", 1)
    assert shared.lines("import made\nprint(made.f())", 8) == [["7"]] * 8


def _bytes(image: Image) -> np.ndarray[Any, Any]:
    return np.frombuffer(image.data, np.uint8)


def test_a_rename_hides_no_other_file(any_device: Device, image: Image) -> None:
    program = """
import os
seen = set()
for turn in range(40):
    try:
        if threadIdx == 0:
            os.rename('/a', '/lib/a')
            os.rename('/lib/a', '/a')
        else:
            os.stat('/b')
    except OSError as error:
        seen.add(error.errno)
print(*seen)
"""
    for name in "abc":
        image.write(name, name.encode() * 400)
    shared = Shared.of(any_device, image)
    said = {word for (line,) in shared.lines(program, 32, block=8) for word in line.split()}
    assert said <= {str(EBUSY), str(ESTALE)}
    assert shared.files()["a"] == b"a" * 400
