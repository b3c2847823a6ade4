"""Streams and block devices of programs that misuse the buffers passed to them."""

from __future__ import annotations

import pytest

from porter.run import Device, run


def test_what_a_stream_keeps_or_changes_is_its_own(any_device: Device) -> None:
    program = """\
import io, ujson as json
kept = []
class S(io.IOBase):
    def write(self, b):
        kept.append(b)
        for i in range(len(b)): b[i] = 65
        return len(b)
json.dump(['abc', 123], S())
print([len(b) for b in kept], kept[2:4], 'abc')
"""
    assert run(any_device, [program], 2).stdout[0] == (
        b"[1, 1, 3, 1, 2, 3, 1] [bytearray(b'AAA'), bytearray(b'A')] abc\n"
    )


def test_what_a_stream_fills_is_read(any_device: Device) -> None:
    program = """\
import io, ujson as json
class S(io.IOBase):
    text = b'[1, {"a": "b"}]'
    def readinto(self, b):
        n = min(len(b), len(self.text))
        b[:n] = self.text[:n]
        self.text = self.text[n:]
        return n
print(json.load(S()))
"""
    assert run(any_device, [program], 2).stdout[0] == b"[1, {'a': 'b'}]\n"


@pytest.mark.parametrize("said", ["1 << 32", "len(b) + 1", "(1 << 46) - 1", "-1 << 40"])
@pytest.mark.parametrize("call", ["print('ab', file=S())", "json.load(S())"])
def test_a_length_that_cannot_be_is_an_error(any_device: Device, call: str, said: str) -> None:
    program = f"""\
import io, ujson as json
class S(io.IOBase):
    def write(self, b): return {said}
    readinto = write
try:
    {call}
except (OSError, ValueError, AttributeError) as e:
    print(type(e).__name__)
print('on')
"""
    result = run(any_device, [program], 2)
    result.raise_for_status()
    assert result.stdout[0].endswith(b"on\n")


def test_a_block_device_that_keeps_its_buffers(any_device: Device) -> None:
    program = """\
import vfs
kept = []
class D:
    def __init__(self): self.data = bytearray(32 * 512)
    def readblocks(self, n, b, off=0):
        kept.append(b)
        b[:] = self.data[n * 512 + off:n * 512 + off + len(b)]
    def writeblocks(self, n, b, off=0):
        self.data[n * 512 + off:n * 512 + off + len(b)] = b
        for i in range(len(b)): b[i] = 255
        kept.append(b)
    def ioctl(self, op, arg):
        return {4: 32, 5: 512, 6: 0}.get(op)
d = D()
vfs.VfsLfs2.mkfs(d)
vfs.mount(d, '/d')
with open('/d/a', 'wb') as f: f.write(b'hello' * 100)
with open('/d/a', 'rb') as f: print(f.read() == b'hello' * 100, b'hello')
for b in kept:
    for i in range(len(b)): b[i] = 1
print(len(kept) > 3)
"""
    result = run(any_device, [program], 2)
    result.raise_for_status()
    assert result.stdout[0] == b"True b'hello'\nTrue\n"
