"""Turn the code that the port's compiler writes into a .mpy file for upstream's mpy-tool.py.

The compiler writes what templates/port/code.c describes: a .mpy, the name of the module's file, and
the exact values of its floats. Upstream's writer of .mpy files omits the name, and writes floats as
text that may be rounded. This module puts both back.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_HEAD = struct.Struct("<III")  # code_head_t: lengths of .mpy and name, number of objects
_MPY_HEAD = 4  # bytes: M, version, features, bits of a small integer

# MP_PERSISTENT_OBJ_* of py/persistentcode.h
_NONE, _FALSE, _TRUE, _ELLIPSIS = 1, 2, 3, 4
_STR, _BYTES, _INT, _FLOAT, _COMPLEX, _TUPLE = 5, 6, 7, 8, 9, 10
_SINGLE = frozenset({_NONE, _FALSE, _TRUE, _ELLIPSIS})


class CodeProblem(ValueError):
    """The compiler's output does not have the format of templates/port/code.c."""


def mpy_of(code: bytes, name: str) -> bytes:
    """Return the .mpy in `code`, with the module's name and with exact floats.

    Args:
        code: The output of the compiler.
        name: The name of the module's file.

    Raises:
        CodeProblem: `code` has another format.
    """
    try:
        length, name_length, objects = _HEAD.unpack_from(code)
        mpy = code[_HEAD.size : _HEAD.size + length]
        named = code[_HEAD.size + length :][:name_length]
        if len(mpy) != length or named != name.encode():
            raise CodeProblem("the compiled code of a module is incomplete")
        return _Mpy(mpy, code[_HEAD.size + length + name_length :]).rewritten(name, objects)
    except (IndexError, struct.error) as error:
        raise CodeProblem("the compiled code of a module is incomplete") from error


class _Mpy:
    """A .mpy while it is read from its start to its end."""

    def __init__(self, data: bytes, doubles: bytes) -> None:
        self._data = data
        self._at = _MPY_HEAD
        self._doubles = _doubles_of(doubles)

    def rewritten(self, name: str, objects: int) -> bytes:
        qstrs = self._number()
        if self._number() != objects:
            raise CodeProblem("a module has another number of objects than its code says")
        start = self._at
        self._qstr()
        first = _text(name.encode())
        rest = self._at
        for _ in range(qstrs - 1):
            self._qstr()
        after = self._at
        exact = b"".join(self._object(next(self._doubles)) for _ in range(objects))
        data = self._data
        return data[:start] + first + data[rest:after] + exact + data[self._at :]

    def _number(self) -> int:
        value = 0
        while True:
            byte = self._data[self._at]
            self._at += 1
            value = value << 7 | byte & 0x7F
            if not byte & 0x80:
                return value

    def _qstr(self) -> None:
        number = self._number()
        if not number & 1:  # else the number of a static qstr
            self._at += (number >> 1) + 1

    def _object(self, doubles: Iterator[float]) -> bytes:
        """Return the object that comes next, its floats with the values `doubles`."""
        start = self._at
        kind = self._data[start]
        self._at += 1
        if kind in _SINGLE:
            return self._data[start : self._at]
        if kind == _TUPLE:
            count = self._number()
            head = self._data[start : self._at]
            return head + b"".join(self._object(doubles) for _ in range(count))
        if kind not in (_STR, _BYTES, _INT, _FLOAT, _COMPLEX):
            raise CodeProblem(f"a module has an object of the unknown kind {kind}")
        length = self._number()
        self._at += length + (kind in (_STR, _BYTES))  # texts end with a zero byte
        if kind == _FLOAT:
            return bytes([kind]) + _sized(repr(next(doubles)))
        if kind == _COMPLEX:
            return bytes([kind]) + _sized(repr(complex(next(doubles), next(doubles))))
        return self._data[start : self._at]


def _doubles_of(data: bytes) -> Iterator[Iterator[float]]:
    """Yield the floats of each object of a module."""
    at = 0
    while at < len(data):
        (count,) = struct.unpack_from("<I", data, at)
        yield iter(struct.unpack_from(f"<{count}d", data, at + 4))
        at += 4 + 8 * count


def _put(number: int) -> bytes:
    """Return a number as .mpy files have it: seven bits per byte, the most significant first."""
    digits = [number & 0x7F]
    while number := number >> 7:
        digits.append(0x80 | number & 0x7F)
    return bytes(reversed(digits))


def _text(text: bytes) -> bytes:
    return _put(len(text) << 1) + text + b"\0"


def _sized(text: str) -> bytes:
    return _put(len(text)) + text.encode()
