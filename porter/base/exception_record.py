"""Decode records of exceptions (`gpusnek_exception_t` of templates/port/interp.h).

Input: the bytes of a record. Output: an `ExceptionRecord`. Interpreters write these bytes, so
`record_of` never raises, and lengths in a record do not determine memory use. `porter.array` and
`porter.evaluation` call it. `porter.base.untrusted` decodes text.
"""

from __future__ import annotations

import struct

from attrs import field, frozen

from porter.base.untrusted import Buffer, printable, text_of

HEADER = struct.Struct("<4I14H")
FRAME = struct.Struct("<2I4H")
# Bits of the field `flags`, as enum gpusnek_exception_flags has them.
THERE = 1
MESSAGE_ARGUMENT = 8
MESSAGE_MISSING = 16
_CUT = {2: "type", 4: "message", 32: "frames", 64: "names"}
# The kinds of missing features, by their numbers in enum gpusnek_missings.
MISSING = {
    1: "name",
    2: "attribute",
    3: "type attribute",
    4: "module name",
    5: "module",
    6: "keyword",
    7: "operation",
}
_REPEATED = 3  # equal frames that are printed separately, as in CPython
_SHOWN = 40  # bytes of a record in a message


@frozen
class TracebackFrame:
    """An entry of a traceback, or several equal entries in succession.

    Attributes:
        file: The name of the program or module.
        line: The line, from 1.
        function: The function's name; empty where it is not known.
        count: The number of equal entries.
    """

    file: str
    line: int
    function: str
    count: int = 1


@frozen
class Missing:
    """A feature that the core of an interpreter lacked when it raised an exception.

    Attributes:
        kind: A value of MISSING.
        owner: The built-in type or module that lacks `name`; empty where it is not known.
        name: The name that is missing; empty where it is not known.
    """

    kind: str
    owner: str = ""
    name: str = ""


@frozen
class ExceptionRecord:
    """The exception that ended an interpreter, as the interpreter recorded it.

    Attributes:
        type: The name of its class.
        message: `str` of it, as far as it fits into the record.
        base: The name of the nearest built-in class; empty where it is not known.
        frames: Entries of its traceback, the outermost first.
        first: The number of entries before the omitted entries.
        omitted: The number of omitted entries; equal entries count one by one.
        cut: The parts that did not fit whole: "type", "message", "frames", "names".
        message_bytes: Bytes of the whole message in UTF-8.
        message_from: "str"; "argument" if `str` of it failed and `message` is its first argument;
            "missing" if that argument is no str.
        missing: The feature that the core lacked when it raised the exception; None for all other
            exceptions, those of a program's own `raise` among them.
    """

    type: str
    message: str
    base: str = ""
    frames: tuple[TracebackFrame, ...] = field(default=(), repr=False)
    first: int = field(default=0, repr=False)
    omitted: int = 0
    cut: frozenset[str] = frozenset()
    message_bytes: int = field(default=0, repr=False)
    message_from: str = "str"
    missing: Missing | None = field(default=None, repr=False)

    @property
    def summary(self) -> str:
        """The last line of the traceback: type and message, with notes on missing parts."""
        name = f"{self.type}..." if "type" in self.cut else self.type
        if self.message_from == "missing":
            return f"{name}: [no message: str() of the exception failed]"
        text = f"{name}: {self.message}" if self.message else name
        if "message" in self.cut:
            text += f"... [{self.message_bytes} bytes in all]"
        return text

    @property
    def traceback(self) -> str:
        """The traceback as Python prints it, the last line included."""
        lines = ["Traceback (most recent call last):"] if self.frames or self.omitted else []
        for index, frame in enumerate(self.frames):
            if self.omitted and index == self.first:
                lines.append(self._gap)
            place = f'  File "{frame.file}", line {frame.line}'
            place += f", in {frame.function}" if frame.function else ""
            lines += [place] * min(frame.count, _REPEATED)
            if (more := frame.count - _REPEATED) > 0:
                times = "times" if more > 1 else "time"
                lines.append(f"  [Previous line repeated {more} more {times}]")
        if self.omitted and self.first >= len(self.frames):
            lines.append(self._gap)
        return "\n".join([*lines, self.summary]) + "\n"

    @property
    def _gap(self) -> str:
        return f"  [{self.omitted} frame{'s are' if self.omitted > 1 else ' is'} not shown]"

    def __str__(self) -> str:
        return printable(self.summary)


class _MalformedRecord(Exception):
    """The bytes are no record."""


def is_there(data: Buffer) -> bool:
    """Return whether `data` is the record of an exception; the flags are 0 without an exception."""
    return len(data) >= HEADER.size and bool(HEADER.unpack_from(data)[0] & THERE)


def record_of(data: Buffer) -> ExceptionRecord:
    """Return the exception that the record `data` describes.

    Args:
        data: The GPUSNEK_EXCEPTION_BYTES of a record, or its first `used` bytes.

    Returns:
        The record. Malformed bytes give a record of the type `Exception` whose message says why.
    """
    content = bytes(data)
    try:
        return _RecordReader(content).read()
    except _MalformedRecord as error:
        reason = f"an unreadable record: {error} in {content[:_SHOWN].hex(' ')}"
        return ExceptionRecord("Exception", reason)


class _RecordReader:
    """Reads one record, and checks each offset in it."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self) -> ExceptionRecord:
        if len(self.data) < HEADER.size:
            raise _MalformedRecord("it ends early")
        flags, _, length, omitted, count, first, *places = HEADER.unpack_from(self.data)
        if not flags & THERE:
            raise _MalformedRecord("no exception")
        if HEADER.size + count * FRAME.size > len(self.data):
            raise _MalformedRecord(f"{count} frames")
        frames = tuple(self._frame(HEADER.size + i * FRAME.size) for i in range(count))
        name, base, message = (self._text(*places[at : at + 2]) for at in (0, 2, 4))
        owner, lacked = (self._text(*places[at : at + 2]) for at in (7, 9))
        kind = MISSING.get(places[6])
        source = "argument" if flags & MESSAGE_ARGUMENT else "str"
        return ExceptionRecord(
            name,
            message,
            base,
            frames,
            min(first, count),
            omitted,
            frozenset(part for bit, part in _CUT.items() if flags & bit),
            length,
            "missing" if flags & MESSAGE_MISSING else source,
            None if kind is None else Missing(kind, owner, lacked),
        )

    def _frame(self, at: int) -> TracebackFrame:
        line, count, *places = FRAME.unpack_from(self.data, at)
        return TracebackFrame(self._text(*places[:2]), line, self._text(*places[2:]), max(1, count))

    def _text(self, at: int, size: int) -> str:
        if at + size > len(self.data):
            raise _MalformedRecord(f"text at {at} of {size} bytes")
        return text_of(self.data[at : at + size])
