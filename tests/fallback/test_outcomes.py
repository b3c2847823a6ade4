"""The decoder of frames takes any bytes."""

from __future__ import annotations

import marshal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porter.base.untrusted import Unreadable, repr_of
from porter.fallback.outcomes import outcome_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda one: st.lists(one) | st.tuples(one, one) | st.dictionaries(st.text(), one),
    max_leaves=8,
)
KINDS = st.sampled_from(
    ["returned", "unreadable", "ended", "exited", "raised", "exhausted", "syntax", "no_entry",
     "refused", "late", "left", "died", "malformed"]
)  # fmt: skip
FRAMES = st.tuples(KINDS) | st.tuples(KINDS, VALUES) | st.tuples(
    KINDS, st.text(), st.text(), st.text(), st.integers(-5, 2**40),
    st.lists(st.tuples(st.text(), st.integers(-5, 2**40), st.text()) | VALUES),
    st.integers(-5, 2**40),
)  # fmt: skip


def check(data: bytes) -> None:
    found = outcome_of(data)
    assert found.kind in ("returned", "unreadable", "ended", "exited", "raised", "exhausted",
                          "syntax", "no_entry", "refused", "malformed")  # fmt: skip
    assert len(found.reason) <= 10_000
    found.reason.encode()
    repr_of(found.value)
    if found.record is not None:
        assert found.record.traceback
        assert isinstance(str(found.record), str)  # empty without a type and a message
    assert (found.record is not None) == (found.kind in ("raised", "exhausted", "syntax"))


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    check(data)


@given(FRAMES)
def test_any_frame(frame: Any) -> None:
    check(marshal.dumps(frame, 2))


@given(FRAMES, st.integers(0, 300), st.integers(0, 255))
def test_frames_with_a_changed_byte(frame: Any, place: int, byte: int) -> None:
    data = bytearray(marshal.dumps(frame, 2))
    data[place % len(data)] = byte
    check(bytes(data))
    check(bytes(data[: place % len(data)]))


@given(st.binary(max_size=100))
def test_any_value(data: bytes) -> None:
    found = outcome_of(marshal.dumps(("returned", data), 2))
    assert found.kind == "returned"
    repr_of(found.value)


def test_frames() -> None:
    frame = ("raised", "KeyError", "KeyError", "'a'", 3, [("<program>", 2, "solve")], 0)
    record = outcome_of(marshal.dumps(frame, 2)).record
    assert record is not None
    assert record.traceback.splitlines()[1:] == [
        '  File "<program>", line 2, in solve',
        "KeyError: 'a'",
    ]
    value = outcome_of(marshal.dumps(("returned", marshal.dumps([1, {2: 3.0}], 2)), 2)).value
    assert value == [1, {2: 3.0}]
    assert isinstance(outcome_of(marshal.dumps(("returned", b"?"), 2)).value, Unreadable)


@pytest.mark.parametrize("name", ["x" * 300, "a\nb", "\x1b[31m", "", "a..b", "a b"])
def test_a_refused_name_is_the_name_of_a_module(name: str) -> None:
    assert outcome_of(marshal.dumps(("refused", name), 2)).kind == "malformed"
    assert outcome_of(marshal.dumps(("refused", "xml.sax"), 2)).kind == "refused"


@pytest.mark.parametrize("data", [b"", b"(", b"(\xff\xff\xff\xff", b"N", b"c", b"[\0\0\0\0"])
def test_what_is_no_frame(data: bytes) -> None:
    assert outcome_of(data).kind == "malformed"
