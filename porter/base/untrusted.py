"""The only decoder of bytes that interpreters wrote: text, and values in the marshal format.

A program can return any bytes. A program that exploits a defect of C code can write any bytes into
the records that the host reads. So no function here raises, whatever its argument contains, and
none allocates memory by a length that the bytes claim.

Text that is not UTF-8 is represented as CPython's error handler `surrogateescape` does it: each
byte that is part of no character becomes the code point U+DC00 plus the byte. A surrogate that a
program wrote (`chr(0xD800)`) is kept.
"""

from __future__ import annotations

import array
import codecs
import struct
from collections.abc import Callable
from typing import Any

from attrs import frozen

Buffer = bytes | bytearray | memoryview

MOST_DEPTH = 2000  # nested containers; CPython's marshal module has the same limit
MOST_DIGITS = 1 << 24  # 15-bit digits of an int, more than any heap holds
_FEW = 256  # sets and dicts up to this size may consist of elements with equal hashes
_ALIKE = 8  # maximum elements per distinct hash in larger ones
_SHOWN = 40  # bytes of a record in a message
_HANDLER = "porter-untrusted"


def _keep(error: UnicodeError) -> tuple[str, int]:
    """Return the replacement of undecodable bytes: a surrogate as written, or escaped bytes."""
    assert isinstance(error, UnicodeDecodeError)
    data, start = error.object, error.start
    # The bytes ED A0..BF 80..BF encode a surrogate; MicroPython writes them for chr(0xD800).
    if data[start] == 0xED and len(data) >= start + 3:
        high, low = data[start + 1], data[start + 2]
        if 0xA0 <= high <= 0xBF and 0x80 <= low <= 0xBF:
            return chr(0xD000 | (high & 0x3F) << 6 | (low & 0x3F)), start + 3
    return chr(0xDC00 + data[start]), start + 1


codecs.register_error(_HANDLER, _keep)


def text_of(data: Buffer) -> str:
    """Return the text of an interpreter's bytes; it has lone surrogates if they are not UTF-8.

    Args:
        data: The bytes.
    """
    return str(bytes(data), "utf-8", _HANDLER)


def printable(text: str) -> str:
    """Return `text` in a form that UTF-8 can encode; surrogates are written as `\\udcXX`.

    Args:
        text: A result of `text_of`, or of `repr` of a value.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def printable_text(data: Buffer) -> str:
    """Return the text of an interpreter's bytes; a byte that is not UTF-8 is written as `\\xXX`."""
    return str(bytes(data), "utf-8", "backslashreplace")


@frozen(repr=False)
class Repr:
    """A placeholder for an object without a counterpart on the host.

    Attributes:
        text: The object's `repr`.
    """

    text: str

    def __repr__(self) -> str:
        return printable(self.text)


@frozen(repr=False)
class Unreadable:
    """A placeholder for a value that cannot be read: its record is not in the documented format.

    In an evaluation, also a placeholder for a value that its interpreter could not write, such as
    a list that contains itself.

    Attributes:
        reason: The mistake, with the first bytes of the record; or the interpreter's exception.
        data: The record; empty without one.
    """

    reason: str
    data: bytes

    def __repr__(self) -> str:
        return f"<unreadable value: {self.reason}>"


class _Malformed(Exception):
    """The bytes encode no value."""


def repr_of(value: object) -> str:
    """Return `repr(value)` of a result of `value_of`, in a form that UTF-8 can encode.

    An int with more digits than CPython converts is written in base 16. For deeper nesting than
    `repr` supports, or such an int in a container, the result is a text with the reason.
    """
    try:
        return printable(repr(value))
    except ValueError:
        if isinstance(value, int):
            return hex(value)
        why = "an int in it has too many digits"
    except RecursionError:
        why = "it is nested too deep"
    except MemoryError:
        why = "it is too long"
    return f"<{type(value).__name__} without a repr: {why}>"


def value_of(data: Buffer, wrapped: bool = False) -> Any:
    """Return the object that an interpreter wrote (templates/port/marshal.c).

    Args:
        data: The bytes: version 2 of CPython's marshal format, of the types that the port writes.
        wrapped: Whether a tuple that begins with StopIteration stands for an object without a code
            in the format (templates/port/marshal.h).

    Returns:
        None, Ellipsis, a bool, int, float, complex, str, bytes, tuple, list, dict, set or frozenset
        of such; if `wrapped`, a bytearray, an array or a Repr too. Unreadable if the bytes are
        another object or none.
    """
    content = bytes(data)
    try:
        reader = _Reader(content, wrapped)
        value = reader.read()
        if reader.at != len(content):
            raise _Malformed(f"{len(content) - reader.at} bytes follow its end")
        return value
    except (_Malformed, TypeError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        return Unreadable(f"{error} in {content[:_SHOWN].hex(' ')}", content)


_CONSTANTS: dict[int, object] = {
    ord("N"): None,
    ord("T"): True,
    ord("F"): False,
    ord("."): Ellipsis,
}
_U32 = struct.Struct("<I")
_I32 = struct.Struct("<i")
_F64 = struct.Struct("<d")
_C128 = struct.Struct("<dd")
_LIST, _TUPLE, _DICT, _SET, _FROZEN = b"[({<>"
_NULL = ord("0")  # the end of a dict
_MARK = ord("S")  # StopIteration, the first item of a tuple that encodes another object
_MADE: dict[int, Callable[[list[Any]], Any]] = {
    _LIST: list,
    _TUPLE: tuple,
    _SET: set,
    _FROZEN: frozenset,
}


class _Reader:
    """Reads one value without recursion, since the bytes would determine its depth."""

    def __init__(self, data: bytes, wrapped: bool) -> None:
        self.data, self.at, self.wrapped = data, 0, wrapped

    def _take(self, size: int) -> bytes:
        end = self.at + size
        if end > len(self.data):
            raise _Malformed("it ends early")
        taken = self.data[self.at : end]
        self.at = end
        return taken

    def _count(self) -> int:
        """Return the number of items of a container, each of which takes a byte at least."""
        count: int = _U32.unpack(self._take(4))[0]
        if count > len(self.data) - self.at:
            raise _Malformed(f"a length of {count} bytes or items")
        return count

    def _long(self) -> int:
        size = _I32.unpack(self._take(4))[0]
        count = abs(size)
        if count > MOST_DIGITS:
            raise _Malformed(f"an int of {count} digits")
        digits = memoryview(self._take(2 * count)).cast("H") if count else ()
        if any(digit >> 15 for digit in digits):
            raise _Malformed("a digit of more than 15 bits")
        # Via a text of bits: adding shifted digits one by one takes quadratic time.
        bits = "".join(f"{digit:015b}" for digit in reversed(digits))
        value = int(bits, 2) if bits else 0
        return -value if size < 0 else value

    def _scalar(self, code: int) -> Any:
        if code in _CONSTANTS:
            return _CONSTANTS[code]
        if code == _MARK and self.wrapped:
            return StopIteration
        if code == ord("i"):
            return _I32.unpack(self._take(4))[0]
        if code == ord("u"):
            return text_of(self._take(self._count()))
        if code == ord("g"):
            return _F64.unpack(self._take(8))[0]
        if code == ord("s"):
            return self._take(self._count())
        if code == ord("l"):
            return self._long()
        if code == ord("y"):
            return complex(*_C128.unpack(self._take(16)))
        raise _Malformed(f"the type code {code:#04x}")

    def read(self) -> Any:
        """Return the value at the current offset, and advance to its end."""
        # Incomplete containers: code, number of items (-1 for a dict until its end), items.
        open_: list[tuple[int, int, list[Any]]] = []
        while True:
            code = self._take(1)[0]
            if code in _MADE or code == _DICT:
                if len(open_) == MOST_DEPTH:
                    raise _Malformed(f"more than {MOST_DEPTH} containers in each other")
                open_.append((code, -1 if code == _DICT else self._count(), []))
            elif code == _NULL and open_ and open_[-1][0] == _DICT and not len(open_[-1][2]) % 2:
                open_[-1] = (_DICT, len(open_[-1][2]), open_[-1][2])
            elif open_:
                open_[-1][2].append(self._scalar(code))
            else:
                return self._scalar(code)
            while open_ and open_[-1][1] == len(open_[-1][2]):
                kind, _, items = open_.pop()
                value = self._made(kind, items)
                if not open_:
                    return value
                open_[-1][2].append(value)

    def _made(self, kind: int, items: list[Any]) -> Any:
        if kind == _DICT:
            _check_hashes(items[::2])
            return dict(zip(items[::2], items[1::2], strict=True))
        if kind in (_SET, _FROZEN):
            _check_hashes(items)
        if self.wrapped and kind == _TUPLE and items and items[0] is StopIteration:
            return _special(items[1:])
        return _MADE[kind](items)


def _check_hashes(items: list[Any]) -> None:
    """Reject elements with mostly equal hashes: inserting them would take quadratic time."""
    if len(items) > _FEW and len(set(map(hash, items))) * _ALIKE < len(items):
        raise _Malformed(f"{len(items)} elements of few different hashes")


def _special(parts: list[Any]) -> object:
    """Decode a tuple that represents an object without a type code (marshal.h)."""
    match parts:
        case [bytes(content)]:
            return bytearray(content)
        case [str(text)]:
            return Repr(text)
        case [str(typecode), bytes(content)]:
            return array.array(typecode, content)
    raise _Malformed("an object of an unknown kind")
