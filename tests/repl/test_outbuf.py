"""`outbuf`: accepted values, conversion of numbers to bytes, and refused values."""

from __future__ import annotations

import numpy as np
import pytest

from porter.repl import Session
from porter.run import Device


@pytest.fixture(scope="module")
def shared(any_device: Device) -> Session:
    return Session.open(any_device, 4)


def said(session: Session, source: str) -> list[str]:
    """Return the last line of each interpreter."""
    answer = session.execute(source)
    return [answer.outputs[0][i].decode().rstrip("\n").split("\n")[-1] for i in range(session.n)]


def stored(session: Session) -> list[int]:
    return session.device.host(session.outbuf).tolist()


@pytest.mark.parametrize(
    "value, expected",
    [
        ("[1, 2, 3]", [1, 2, 3]),
        ("(4, 5, 6)", [4, 5, 6]),
        ("b'abc'", [97, 98, 99]),
        ("bytearray(b'xyz')", [120, 121, 122]),
        ("memoryview(b'0123')[1:]", [49, 50, 51]),
        ("range(7, 10)", [7, 8, 9]),
        ("(i * 2 for i in range(3))", [0, 2, 4]),
        ("[1.9, 254.999, 0.5]", [1, 254, 0]),
        ("[256, 256.0, 1e300]", [255, 255, 255]),
        ("[-1, -0.5, float('nan')]", [0, 0, 0]),
        ("[float('inf'), -float('inf'), True]", [255, 0, 1]),
        ("__import__('array').array('f', [1.5, 300, -2])", [1, 255, 0]),
        ("__import__('array').array('i', [9, 1000, -1000])", [9, 255, 0]),
    ],
)
def test_what_a_slice_takes(shared: Session, value: str, expected: list[int]) -> None:
    shared.outbuf[:] = 99
    said(shared, f"outbuf[threadIdx * 3: threadIdx * 3 + 3] = {value}\n")
    assert stored(shared) == expected * 4


def test_each_interpreter_has_its_pixel(shared: Session) -> None:
    said(shared, "outbuf[threadIdx * 3: threadIdx * 3 + 3] = [threadIdx, 0, 255]\n")
    assert stored(shared) == [0, 0, 255, 1, 0, 255, 2, 0, 255, 3, 0, 255]


def test_overlapping_pieces_of_itself(shared: Session) -> None:
    shared.outbuf[:] = shared.device.array(np.arange(12, dtype=np.uint8))
    said(shared, "if threadIdx == 0: outbuf[1:6] = memoryview(outbuf)[0:5]\n\n")
    assert stored(shared) == [0, 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]


def test_empty_slices(shared: Session) -> None:
    shared.outbuf[:] = 99
    assert said(shared, "outbuf[3:3] = []; outbuf[5:2] = b''; outbuf[3:3]\n") == ["b''"] * 4
    assert stored(shared) == [99] * 12


def test_a_list_that_changes_while_it_is_stored(shared: Session) -> None:
    said(shared, "class N:\n    def __int__(self): items.clear(); return 1\n\n")
    said(shared, "items = [N() for i in range(6)]\n")
    assert (
        said(shared, "outbuf[0:6] = items\n")
        == ["ValueError: slice and value differ in length"] * 4
    )


def test_items_and_reading(shared: Session) -> None:
    said(shared, "outbuf[threadIdx] = threadIdx + 0.5\n")
    assert (
        said(shared, "outbuf[1], outbuf[-9], outbuf[0:4], len(outbuf), bool(outbuf)\n")
        == [r"(1, 3, b'\x00\x01\x02\x03', 12, True)"] * 4
    )
    assert (
        said(shared, "memoryview(outbuf)[2], bytes(outbuf)[:2], outbuf\n")
        == [r"(2, b'\x00\x01', <outbuf of 12 bytes>)"] * 4
    )


@pytest.mark.parametrize(
    "source, error",
    [
        ("outbuf[0:3] = [1, 2]", "ValueError: slice and value differ in length"),
        ("outbuf[0:3] = b'four'", "ValueError: slice and value differ in length"),
        ("outbuf[10:20] = [0] * 10", "ValueError: slice and value differ in length"),
        ("outbuf[0:6:2] = [1, 2, 3]", "NotImplementedError: only slices with step=1"),
        ("outbuf[12]", "IndexError: outbuf index out of range"),
        ("outbuf[-13] = 0", "IndexError: outbuf index out of range"),
        ("outbuf[0] = 'a'", "TypeError: 'str' object cannot be interpreted as an integer"),
        ("outbuf[0] = 1j", "TypeError: 'complex' object cannot be interpreted as an integer"),
        (
            "outbuf[0:1] = [None]",
            "TypeError: 'NoneType' object cannot be interpreted as an integer",
        ),
        ("outbuf[0:1] = 5", "TypeError: 'int' object is not iterable"),
        ("outbuf['x'] = 5", "TypeError: outbuf indices must be integers or slices, not str"),
        ("del outbuf[0]", "TypeError: 'outbuf' object doesn't support item deletion"),
        ("outbuf.x", "AttributeError: 'outbuf' object has no attribute 'x'"),
    ],
)
def test_what_is_refused(shared: Session, source: str, error: str) -> None:
    shared.outbuf[:] = 99
    assert all(line.startswith(error) for line in said(shared, source + "\n"))
    assert stored(shared) == [99] * 12


def test_other_sizes(any_device: Device) -> None:
    session = Session.open(any_device, 2, outbuf_size=100)
    assert said(session, "len(outbuf)\n") == ["100", "100"]
    none = Session.open(any_device, 2, outbuf_size=0)
    assert said(none, "outbuf\n") == ["NameError: name 'outbuf' is not defined"] * 2
