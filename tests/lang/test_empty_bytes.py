"""Bytes of empty buffers, after which C expects a null byte."""

from __future__ import annotations

from porter.run import Device, run

EMPTY = """
import array, json, os, struct
makes = (b''.__class__, lambda b: bytes(memoryview(b)))
buffers = (bytearray(), array.array('h'), memoryview(bytearray()), memoryview(bytearray(4))[2:2])
uses = (open, os.stat, os.listdir, int, float, lambda b: int(b, 16), json.loads, eval, exec,
    __import__, struct.calcsize, lambda b: struct.pack(b, 1), lambda b: b.split(b), lambda b: b % 1,
    lambda b: b.find(b), lambda b: b + b, lambda b: b == b'', hash, repr, lambda b: b.decode())
def answers(empty):
    found = []
    for use in uses:
        try:
            found.append(use(empty))
        except Exception as e:
            found.append(type(e).__name__)
    return found
for buffer in buffers:
    for make in makes:
        empty = make(buffer)
        print(answers(empty) == answers(b''), len(empty), empty)
"""


def test_they_are_like_the_constant(roomy_device: Device) -> None:
    result = run(roomy_device, [EMPTY], 2)
    assert result.stderr[1] == b""
    assert result.stdout[1].splitlines() == [b"True 0 b''"] * 8
