"""Patterns: expected values, encoded for comparisons in interpreters.

A pattern is CPython's marshal format, except for dicts and sets. A dict or set has an index of its
keys, sorted by hash, so that an interpreter finds each key of a result by binary search. Called
before cases are copied to a device (porter/evaluation/launches.py). `templates/port/matching.c`
reads patterns, and `templates/port/matching_keys.c` computes the same hashes.

Layout of a dict ('{'), set ('<') or frozenset ('>'), little endian:

    code        uint8
    count       uint32   entries
    repeated    uint8    whether an entry's `like` is not 0
    units       uint64   size of all keys, in the units of `_Hash`
    sum         uint64   sum of the finished hashes of all keys, modulo 2^64
    size        uint64   bytes of all entries
    index       count x {hash uint64, offset uint32, like uint32}, sorted by hash
    entries     keys; in a dict each with its value behind it

`offset` counts bytes from the first entry. Keys with equal hashes are usually NaNs. `like` is then
the number of entries of a dict that equal this one in key and value, itself included.
"""

from __future__ import annotations

import array
import marshal
import math
import re
import struct
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import field, frozen

from porter.base.untrusted import value_of
from porter.evaluation.cases import VERSION, Cases

# A comparison cannot be interrupted, so its cost is bounded in advance: the bytes of the pattern,
# and for each entry with `like` one comparison with every entry of the result. A lane of an H100
# compares about ten million bytes of small items per second.
MAX_COST = 1 << 26
NOTHING = marshal.dumps(None, VERSION)

_UNORDERED = re.compile(rb"[{<>]")
_WORD = (1 << 64) - 1
_MULTIPLIER = 0xFF51AFD7ED558CCD  # the first multiplier of MurmurHash3's finalizer
_CHUNK_BYTES = 15  # 120 bits, two words of 60
_CHUNK_WORD = (1 << 60) - 1
_NAN = 0x7FF8000000000000
# Type tags: the first word of a hash. Equal values have equal tags: bools and floats without a
# fraction have the tag of integers.
_NONE, _ELLIPSIS, _INTEGER, _NEGATIVE, _FLOAT, _COMPLEX, _TEXT, _BYTES, _TUPLE, _SET = range(1, 11)
_LIST, _DICT, _ARRAY, _FINISH = range(11, 15)


@frozen(eq=False)
class Patterns:
    """The patterns of all cases.

    Attributes:
        data: Bytes of all patterns, one after the other.
        offsets: Where each begins, and the end of the last (int64[cases + 1]).
        refused: Whether a comparison would cost more than MAX_COST (bool[cases]). The pattern of
            such a case is that of None, and no result is compared with it.
    """

    data: bytes = field(repr=False)
    offsets: np.ndarray[Any, Any] = field(repr=False)
    refused: np.ndarray[Any, Any] = field(repr=False)

    @classmethod
    def of(cls, cases: Cases, *, single: bool) -> Patterns:
        """Return the patterns of `cases`.

        Args:
            cases: Cases whose expected values are marshalled.
            single: Whether interpreters have single-precision floats.
        """
        sizes = np.diff(cases.expected_offsets)
        refused = sizes > MAX_COST
        if not refused.any() and _UNORDERED.search(cases.expected) is None:
            return cls(cases.expected, cases.expected_offsets, refused)
        starts = cases.expected_offsets.tolist()
        found = []
        for i, (start, end) in enumerate(pairwise(starts)):
            data = cases.expected[start:end]
            if not refused[i] and _UNORDERED.search(data) is not None:
                data, cost = pattern(value_of(data, wrapped=True), single=single)
                refused[i] = cost > MAX_COST
            found.append(NOTHING if refused[i] else data)
        offsets = np.cumsum([0, *map(len, found)], dtype=np.int64)
        return cls(b"".join(found), offsets, refused)


def pattern(value: Any, *, single: bool = False) -> tuple[bytes, int]:
    """Return the pattern of `value`, and the maximum cost of a comparison with it (MAX_COST).

    Args:
        value: A value of the types that cases may have (porter/evaluation/cases.py).
        single: Whether interpreters have single-precision floats.
    """
    writer = _PatternWriter(_Hasher(single))
    data = writer.write(value)
    return data, len(data) + writer.repeats


@frozen
class _Hash:
    """The hash of a value, and its size.

    Attributes:
        word: 64 bits, equal for values that are equal as keys of a dict. NaN equals NaN.
        units: 1 for each value, and 1 more for each word of 64 bits of a text, or of 60 of an int.
    """

    word: int
    units: int

    @property
    def finished(self) -> int:
        """The summand in a set's hash, mixed once more to hide the structure of `word`."""
        return _mix(self.word, _FINISH)


def _mix(state: int, word: int) -> int:
    state = ((state ^ word) * _MULTIPLIER) & _WORD
    return state ^ state >> 32


def _chained(tag: int, words: Iterable[int]) -> int:
    state = _mix(0, tag)
    for word in words:
        state = _mix(state, word)
    return state


@frozen
class _Hasher:
    """Hashes of values as interpreters compute them.

    Attributes:
        single: Whether interpreters have single-precision floats.
    """

    single: bool

    def __call__(self, value: Any) -> _Hash:
        """Return the hash of a value of the types that cases may have."""
        return _HASHES[type(value)](self, value)

    def none(self, value: Any) -> _Hash:
        return _Hash(_mix(0, _NONE if value is None else _ELLIPSIS), 1)

    def integer(self, value: int) -> _Hash:
        size = -(-value.bit_length() // (8 * _CHUNK_BYTES)) * _CHUNK_BYTES
        data = abs(value).to_bytes(size, "little")
        words: list[int] = []
        for at in range(0, size, _CHUNK_BYTES):
            chunk = int.from_bytes(data[at : at + _CHUNK_BYTES], "little")
            words += (chunk & _CHUNK_WORD, chunk >> 60)
        while words and words[-1] == 0:
            words.pop()
        return _Hash(_chained(_NEGATIVE if value < 0 else _INTEGER, words), 1 + len(words))

    def floating(self, value: float) -> _Hash:
        if self.single:
            value = float(np.float32(value))
        if value.is_integer():
            return self.integer(int(value))
        bits = _NAN if math.isnan(value) else struct.unpack("<Q", struct.pack("<d", value))[0]
        return _Hash(_chained(_FLOAT, [bits]), 1)

    def complexity(self, value: complex) -> _Hash:
        real, imaginary = self.floating(value.real), self.floating(value.imag)
        if imaginary.word == self.integer(0).word:
            return real
        return self._sequence(_COMPLEX, [real, imaginary])

    def text(self, value: str) -> _Hash:
        return self._bytes(_TEXT, value.encode())

    def data(self, value: bytes | bytearray) -> _Hash:
        return self._bytes(_BYTES, bytes(value))

    def ordered(self, value: tuple[Any, ...]) -> _Hash:
        return self._sequence(_TUPLE, list(map(self, value)))

    def listed(self, value: list[Any]) -> _Hash:
        return self._sequence(_LIST, list(map(self, value)))

    def typed(self, value: array.array[Any]) -> _Hash:
        return self._sequence(_ARRAY, list(map(self, value)))

    def unordered(self, value: set[Any] | frozenset[Any]) -> _Hash:
        return self._sum(_SET, list(map(self, value)))

    def mapping(self, value: dict[Any, Any]) -> _Hash:
        pairs = [self._sequence(_TUPLE, [self(key), self(item)]) for key, item in value.items()]
        return self._sum(_DICT, pairs)

    @staticmethod
    def _bytes(tag: int, data: bytes) -> _Hash:
        count = -(-len(data) // 8)
        words = struct.unpack(f"<{count}Q", data.ljust(8 * count, b"\0"))
        return _Hash(_mix(_chained(tag, words), len(data)), 1 + count)

    @staticmethod
    def _sequence(tag: int, items: list[_Hash]) -> _Hash:
        words = [len(items), *(item.word for item in items)]
        return _Hash(_chained(tag, words), 1 + sum(item.units for item in items))

    @staticmethod
    def _sum(tag: int, items: list[_Hash]) -> _Hash:
        total = sum(item.finished for item in items) & _WORD
        return _Hash(_chained(tag, [len(items), total]), 1 + sum(item.units for item in items))


_HASHES: dict[type, Callable[[_Hasher, Any], _Hash]] = {
    type(None): _Hasher.none,
    type(...): _Hasher.none,
    bool: _Hasher.integer,
    int: _Hasher.integer,
    float: _Hasher.floating,
    complex: _Hasher.complexity,
    str: _Hasher.text,
    bytes: _Hasher.data,
    bytearray: _Hasher.data,
    tuple: _Hasher.ordered,
    list: _Hasher.listed,
    array.array: _Hasher.typed,
    set: _Hasher.unordered,
    frozenset: _Hasher.unordered,
    dict: _Hasher.mapping,
}
_HEADER = struct.Struct("<cIBQQQ")
_ENTRY = np.dtype([("hash", "<u8"), ("offset", "<u4"), ("like", "<u4")])


class _PatternWriter:
    """Writes patterns.

    Attributes:
        hasher: Computes the hashes of keys.
        repeats: Comparisons of entries with `like`, over all dicts written.
    """

    def __init__(self, hasher: _Hasher) -> None:
        self.hasher = hasher
        self.repeats = 0

    def write(self, value: Any) -> bytes:
        """Return the pattern of `value`."""
        match value:
            case list() | tuple():
                code = b"[" if isinstance(value, list) else b"("
                head = struct.pack("<cI", code, len(value))
                return b"".join((head, *map(self.write, value)))
            case set() | frozenset():
                items = list(value)
                code = b"<" if isinstance(value, set) else b">"
                return self._indexed(code, items, list(map(self.write, items)), None)
            case dict():
                keys, values = list(value), list(value.values())
                parts = [self.write(key) + self.write(item) for key, item in value.items()]
                return self._indexed(b"{", keys, parts, values)
            case bytearray():
                return marshal.dumps((StopIteration, bytes(value)), VERSION)
            case array.array():
                whole = (StopIteration, value.typecode, value.tobytes())
                return marshal.dumps(whole, VERSION)
        return marshal.dumps(value, VERSION)

    def _indexed(
        self, code: bytes, keys: list[Any], parts: list[bytes], values: list[Any] | None
    ) -> bytes:
        hashes = list(map(self.hasher, keys))
        index = np.zeros(len(keys), _ENTRY)
        index["hash"] = [one.word for one in hashes]
        index["offset"] = np.cumsum([0, *map(len, parts)], dtype=np.int64)[:-1] & 0xFFFFFFFF
        if values is not None:
            index["like"] = self._likes(hashes, values)
        units = sum(one.units for one in hashes)
        total = sum(one.finished for one in hashes) & _WORD
        repeated = int(np.count_nonzero(index["like"]))
        self.repeats += 2 * repeated * len(keys)
        size = sum(map(len, parts))
        head = _HEADER.pack(code, len(keys), repeated > 0, units, total, size)
        return b"".join((head, np.sort(index, order="hash").tobytes(), *parts))

    def _likes(self, hashes: list[_Hash], values: list[Any]) -> list[int]:
        """Return `like` of each entry of a dict."""
        times = Counter(one.word for one in hashes)
        if len(times) == len(hashes):
            return [0] * len(hashes)
        pairs = [
            (one.word, self.hasher(value).word) if times[one.word] > 1 else None
            for one, value in zip(hashes, values, strict=True)
        ]
        like = Counter(pairs)
        return [0 if pair is None else like[pair] for pair in pairs]
