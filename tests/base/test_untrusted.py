"""The host's decoder never raises on bytes of interpreters, and valid bytes give the value."""

from __future__ import annotations

import array
import marshal
import re
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porter.base import untrusted
from porter.base.exception_record import FRAME, HEADER, ExceptionRecord, is_there, record_of
from porter.base.untrusted import (
    MOST_DEPTH,
    Repr,
    Unreadable,
    printable,
    printable_text,
    repr_of,
    text_of,
    value_of,
)

VERSION = 2
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**40), 10**40)
    | st.floats()
    | st.text()
    | st.binary()
    | st.just(...)
    | st.complex_numbers(allow_nan=False)
)
KEYS = st.integers() | st.text() | st.binary() | st.tuples(st.integers(), st.text())
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.sets(KEYS, max_size=4)
        | st.frozensets(KEYS, max_size=4)
    ),
    max_leaves=12,
)


def typed(value: Any) -> Any:
    """Return a key that distinguishes values of different types and of different bits."""
    if isinstance(value, dict):
        return "dict", [(typed(key), typed(item)) for key, item in value.items()]
    if isinstance(value, set | frozenset):
        return type(value).__name__, sorted(map(repr, value))
    if isinstance(value, list | tuple):
        return type(value).__name__, [typed(item) for item in value]
    return type(value).__name__, repr(value)


@given(VALUES)
def test_what_cpython_writes_is_read(value: Any) -> None:
    assert typed(value_of(marshal.dumps(value, VERSION))) == typed(value)


@given(st.binary(max_size=60), st.booleans())
def test_any_bytes_are_a_value_or_unreadable(data: bytes, wrapped: bool) -> None:
    repr_of(value_of(data, wrapped))


@given(VALUES, st.data())
def test_damaged_records(value: Any, data: st.DataObject) -> None:
    record = bytearray(marshal.dumps(value, VERSION))
    for _ in range(data.draw(st.integers(1, 4))):
        record[data.draw(st.integers(0, len(record) - 1))] = data.draw(st.integers(0, 255))
    cut = record[: data.draw(st.integers(0, len(record)))]
    for one in (record, cut):
        repr_of(value_of(one, wrapped=True))


@given(st.lists(st.sampled_from(b"NTFSigyusl([{<>0.cr\xe3\xf2\xff\x00\x01"), max_size=40))
def test_type_codes_in_any_order(codes: list[int]) -> None:
    repr_of(value_of(bytes(codes), wrapped=True))


@pytest.mark.parametrize("code", [*b"([<>us", ord("l")])
def test_a_length_takes_no_memory(code: int) -> None:
    record = bytes([code]) + struct.pack("<I", 0x7FFFFFF0) + b"NNNN"
    tracemalloc.start()
    try:
        assert isinstance(value_of(record), Unreadable)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (b"", "it ends early"),
        (b"c" + bytes(100), "type code 0x63"),
        (b"r" + bytes(4), "type code 0x72"),
        (b"NN", "1 bytes follow"),
        (b"{" + b"[" + bytes(4) + b"N0", "unhashable"),
        (b"<" + struct.pack("<I", 1) + b"[" + bytes(4), "unhashable"),
        (b"{N0", "type code 0x30"),
        (b"l" + struct.pack("<i", 1) + b"\xff\xff", "15 bits"),
        (b"[" + struct.pack("<I", 1), "length of 1"),
    ],
)
def test_what_is_wrong_is_said(record: bytes, reason: str) -> None:
    found = value_of(record)
    assert isinstance(found, Unreadable) and reason in found.reason, found
    assert found.data == record and repr(found).startswith("<unreadable value: ")


@pytest.mark.parametrize("depth", [MOST_DEPTH, MOST_DEPTH + 1, 100_000])
def test_nesting_has_a_bound(depth: int) -> None:
    record = (b"[" + struct.pack("<I", 1)) * depth + b"N"
    found = value_of(record)
    assert isinstance(found, Unreadable) == (depth > MOST_DEPTH)
    assert repr_of(found)


@pytest.mark.parametrize("of", [int, lambda n: (n,)])
@pytest.mark.parametrize("made", [set, frozenset, dict.fromkeys])
def test_equal_hashes_take_no_time_by_the_square(of: Any, made: Any) -> None:
    alike = made([of(n * (2**61 - 1)) for n in range(300)])
    found = value_of(marshal.dumps(alike, VERSION))
    assert isinstance(found, Unreadable) and "hashes" in found.reason
    few = made([of(n * (2**61 - 1)) for n in range(200)])
    assert value_of(marshal.dumps(few, VERSION)) == few
    plain = made([of(n) for n in range(-300, 300)])
    assert value_of(marshal.dumps(plain, VERSION)) == plain


def test_bytes_that_do_not_stand_together() -> None:
    assert (
        text_of(memoryview(b"a-b-c-")[::2]) == printable_text(memoryview(b"a-b-c-")[::2]) == "abc"
    )


def test_wrapped_objects() -> None:
    def wrap(*parts: object) -> bytes:
        whole: Any = (StopIteration, *parts)
        return marshal.dumps(whole, VERSION)

    assert value_of(wrap(b"ab"), True) == bytearray(b"ab")
    assert value_of(wrap("H", b"\1\0\2\0"), True) == array.array("H", [1, 2])
    assert value_of(wrap("<object>"), True) == Repr("<object>")
    for record in (wrap(), wrap(1), wrap("H", b"odd"), wrap("?", b""), wrap("a", b"b", b"c")):
        assert isinstance(value_of(record, True), Unreadable)
    assert isinstance(value_of(wrap("x")), Unreadable) and isinstance(value_of(b"S"), Unreadable)
    assert repr(Repr("\udcff")) == "\\udcff"


@given(st.binary())
def test_text_keeps_every_byte(data: bytes) -> None:
    text = text_of(data)
    try:
        assert text == data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        assert any("\ud800" <= c <= "\udfff" for c in text)
    printable(text).encode("utf-8")
    printable_text(data).encode("utf-8")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xc5", "\udcc5"),
        (b"a\xc0\x80b", "a\udcc0\udc80b"),
        (b"\xed\xa0\x80", "\ud800"),
        (b"\xed\xa0", "\udced\udca0"),
        ("Łódź".encode(), "Łódź"),
        (b"\xf5\x80\x80\x80", "\udcf5\udc80\udc80\udc80"),
    ],
)
def test_bytes_that_are_no_characters(data: bytes, text: str) -> None:
    assert text_of(data) == text


def test_an_int_of_many_digits_is_shown() -> None:
    assert repr_of(10**5000) == hex(10**5000)
    assert repr_of([10**5000]) == "<list without a repr: an int in it has too many digits>"
    assert repr_of("\udcc5") == "'\\udcc5'"


RECORD = 1024  # bytes, as GPUSNEK_EXCEPTION_BYTES


def packed(
    flags: int, frames: list[tuple[int, int, bytes, bytes]], *texts: bytes, first: int = 0
) -> bytes:
    """Return a record with these frames (line, count, file, function), type, base and message."""
    text = b""
    at = HEADER.size + FRAME.size * len(frames)
    places: list[list[int]] = []
    for part in (*(name for frame in frames for name in frame[2:]), *texts):
        places.append([at + len(text), len(part)])
        text += part
    entries = b"".join(
        FRAME.pack(*frame[:2], *places[2 * i], *places[2 * i + 1]) for i, frame in enumerate(frames)
    )
    ends = [number for place in places[2 * len(frames) :] for number in place]
    header = HEADER.pack(flags, at + len(text), 7, 5, len(frames), first, *ends, *[0] * 6)
    return (header + entries + text).ljust(RECORD, b"\0")


FRAMES = [(1, 1, b"a.py", b"<module>"), (7, 44, b"a.py", b"f"), (9, 1, b"\xff", b"")]
GOOD = packed(1 | 32, FRAMES, b"Own", b"ValueError", b"m\xfe", first=2)


def shown(record: ExceptionRecord) -> int:
    """Return the size of all text that a record becomes."""
    return len(repr(record) + str(record) + record.traceback)


def test_a_record_is_read() -> None:
    record = record_of(GOOD)
    assert (record.type, record.base, record.message) == ("Own", "ValueError", "m\udcfe")
    assert record.cut == {"frames"} and record.omitted == 5 and is_there(GOOD)
    assert record.traceback == (
        "Traceback (most recent call last):\n"
        '  File "a.py", line 1, in <module>\n'
        + '  File "a.py", line 7, in f\n'
        * 3
        + "  [Previous line repeated 41 more times]\n"
        "  [5 frames are not shown]\n"
        '  File "\udcff", line 9\n'
        "Own: m\udcfe\n"
    )
    assert str(record) == "Own: m\\udcfe"


@given(st.binary(max_size=RECORD))
def test_any_bytes_are_a_record(data: bytes) -> None:
    assert shown(record_of(data)) < 1 << 17
    assert record_of(data).type == "Exception" or is_there(data)


@given(st.data())
def test_damaged_exception_records(data: st.DataObject) -> None:
    record = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 6))):
        record[data.draw(st.integers(0, 160))] = data.draw(st.integers(0, 255))
    cut = record[: data.draw(st.integers(0, len(record)))]
    for one in (record, cut):
        assert shown(record_of(one)) < 1 << 17


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (b"", "it ends early"),
        (bytes(RECORD), "no exception"),
        (HEADER.pack(1, 0, 0, 0, 60000, 0, *bytes(12)).ljust(RECORD, b"\0"), "60000 frames"),
        (HEADER.pack(1, 0, 0, 0, 0, 0, 1000, 25, *bytes(10)).ljust(RECORD, b"\0"), "text at 1000"),
    ],
)
def test_what_is_wrong_with_a_record(record: bytes, reason: str) -> None:
    found = record_of(record)
    assert found.type == "Exception" and reason in found.message


def test_a_count_takes_no_memory() -> None:
    record = record_of(packed(1, [(2**32 - 1, 2**32 - 1, b"f", b"g")] * 16, b"E", b"", b""))
    assert len(record.traceback) < 5000 and "4294967292 more times" in record.traceback


# Packages that receive data of interpreters, and modules of them that decode other bytes: programs'
# sources, porter's own banners, a compiler's log, and a console without bytes.
READERS = ("array", "evaluation", "notebook", "profiling", "repl", "run", "smoke")
OTHERS = {
    "array/compilations.py",
    "array/html.py",
    "evaluation/shapes.py",
    "notebook/cell_program.py",
    "profiling/profiler.py",
    "repl/shell.py",
    "run/device/linked_code.py",
    "run/streams/display.py",
}


def test_no_other_module_decodes() -> None:
    package = Path(untrusted.__file__).parents[1]
    found = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if path.relative_to(package).parts[0] in READERS
        and re.search(r"\.decode\(|\bmarshal\.loads?\(|str\([^()]*, \"utf-8\"", path.read_text())
    }
    assert found == OTHERS
