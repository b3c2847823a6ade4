"""Group identical rows on their device, so that only distinct rows are copied to the host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from attrs import field, frozen

from porter.base.arguments import whole
from porter.run.device.arrays import NumpyOperations
from porter.run.device.base import Array, Device, Operations

CHUNK = 64 << 20  # bytes of rows that are gathered per copy to the host


@frozen(eq=False)
class Rows:
    """Groups of equal rows, in the order of their first rows (numpy, int64).

    Attributes:
        example: The first row of each group.
        count: The number of rows of each group.
        first: For each row the first row equal to it.
    """

    example: np.ndarray[Any, Any]
    count: np.ndarray[Any, Any]
    first: np.ndarray[Any, Any]

    @property
    def group_of(self) -> np.ndarray[Any, Any]:
        """The group of each row (int64)."""
        numbers = np.zeros(len(self.first), np.int64)
        numbers[self.example] = np.arange(len(self.example))
        found: np.ndarray[Any, Any] = numbers[self.first]
        return found


def group_rows(
    words: Array,
    lengths: Array,
    operations: Operations | None = None,
    *,
    columns: int | None = None,
) -> Rows:
    """Group equal rows.

    Args:
        words: Rows (n x k uint64).
        lengths: Equal rows have equal lengths too (n uint32).
        operations: Operations of the arrays' device; None: NumPy's.
        columns: Number of words of a row to compare; None: all.
    """
    operations = operations or NumpyOperations()
    first = operations.first_equal(words, words.shape[1] if columns is None else columns, lengths)
    counts = np.bincount(first, minlength=len(first))
    example = np.flatnonzero(counts)
    return Rows(example, counts[example], first)


def rows_here(
    device: Device, words: Array, which: np.ndarray[Any, Any], columns: int | None = None
) -> np.ndarray[Any, Any]:
    """Copy rows `which` of `words` (n x k uint64) to the host: len(which) x 8 * columns bytes."""
    columns = words.shape[1] if columns is None else columns
    here = np.empty((len(which), 8 * columns), np.uint8)
    if columns:
        step = max(1, CHUNK // (8 * columns))
        for at in range(0, len(which), step):
            part = device.operations.rows(words, columns, which[at : at + step])
            here[at : at + step] = device.host(part).view(np.uint8)
    return here


@frozen
class Group:
    """Interpreters with the same output.

    Attributes:
        text: The output, as far as it was kept.
        count: Number of interpreters.
        example: The index of one of them.
        length: Bytes written, kept or not.
    """

    text: bytes
    count: int
    example: int
    length: int

    @property
    def cut(self) -> bool:
        """Whether the output was longer than its buffer."""
        return self.length > len(self.text)


BEYOND = 2**200  # no bound for an index here; the stream's length bounds it
_CHUNK = 4096  # groups converted at a time


class Groups(Sequence[Group]):
    """Groups, the largest first, equal counts sorted by text. Group objects are made on access."""

    def __init__(
        self,
        texts: np.ndarray[Any, Any],
        lengths: np.ndarray[Any, Any],
        rows: Rows,
    ) -> None:
        """Sort the groups.

        Args:
            texts: k x width uint8, with a width of 0 where nothing was kept.
            lengths: Bytes written (k).
            rows: The grouping.
        """
        keys = np.zeros(len(texts), "S1")
        if texts.size:  # fixed-width strings sort as bytes do, without a loop over groups
            keys = np.ascontiguousarray(texts).view(f"S{texts.shape[1]}").reshape(-1)
        order = np.lexsort((keys, -rows.count)) if len(keys) else np.zeros(0, np.int64)
        self._texts, self._lengths = texts[order], lengths[order]
        self._counts, self._examples = rows.count[order], rows.example[order]

    def __len__(self) -> int:
        return len(self._counts)

    @overload
    def __getitem__(self, index: int) -> Group: ...
    @overload
    def __getitem__(self, index: slice) -> list[Group]: ...
    def __getitem__(self, index: int | slice) -> Group | list[Group]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        length = int(self._lengths[index])
        text = self._texts[index].tobytes()[:length]
        return Group(text, int(self._counts[index]), int(self._examples[index]), length)

    def __iter__(self) -> Iterator[Group]:
        # Convert in chunks: numpy takes microseconds per element, and there may be a million
        # groups.
        for at in range(0, len(self), _CHUNK):
            chunk = slice(at, at + _CHUNK)
            texts = self._texts[chunk]
            width, raw = texts.shape[1], texts.tobytes()
            columns = (self._counts[chunk], self._examples[chunk], self._lengths[chunk])
            numbers = zip(*(column.tolist() for column in columns), strict=True)
            for row, (count, example, length) in enumerate(numbers):
                start = row * width
                yield Group(raw[start : start + min(length, width)], count, example, length)


@frozen(eq=False)
class Distinct:
    """The distinct outputs of k groups, on the host.

    Attributes:
        words: k x columns uint64.
        lengths: Bytes written (k uint32).
        rows: The grouping.
    """

    words: np.ndarray[Any, Any]
    lengths: np.ndarray[Any, Any]
    rows: Rows

    @property
    def groups(self) -> Groups:
        """The groups, in order."""
        texts = np.ascontiguousarray(self.words).view(np.uint8)
        shape = (len(self.words), 8 * self.words.shape[1])
        return Groups(texts.reshape(shape), self.lengths, self.rows)


@frozen(slots=False, eq=False)
class Stream:
    """An output stream (stdout or stderr) of all interpreters.

    Attributes:
        device: The device that has the arrays.
        words: n x (size / 8) uint64 on the device, zero after the output.
        lengths: Bytes written, kept or not (n uint32).
        size: Maximum bytes kept per interpreter.
    """

    device: Device = field(repr=False)
    words: Array = field(repr=False)
    lengths: Array = field(repr=False)
    size: int

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[bytes]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int) -> bytes:
        """Return the output of interpreter `index`, as far as it was kept. Raises IndexError."""
        index = whole(index, "index", -BEYOND, BEYOND)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} of {len(self)} interpreters")
        return self._row(index % len(self))

    def _row(self, index: int) -> bytes:
        row = self.device.host(self.words[index : index + 1])
        return row.tobytes()[: min(self.size, int(self._ends[index]))]

    def of(self, which: np.ndarray[Any, Any]) -> Stream:
        """Return the stream of the interpreters `which` (indices), as a copy."""
        words = self.device.operations.rows(self.words, which=which)
        lengths = self.device.array(self._ends[which])
        return Stream(self.device, words, lengths, self.size)

    @cached_property
    def _ends(self) -> np.ndarray[Any, Any]:
        """The lengths, on the host."""
        return self.device.host(self.lengths)

    @cached_property
    def longest(self) -> int:
        """The maximum bytes that an interpreter wrote."""
        return int(self._ends.max()) if len(self._ends) else 0

    @cached_property
    def cut(self) -> np.ndarray[Any, Any]:
        """Which interpreters wrote more than was kept (n bools, numpy)."""
        more: np.ndarray[Any, Any] = self._ends > self.size
        return more

    @property
    def columns(self) -> int:
        """The maximum words of a row that hold output."""
        return -(-min(self.size, self.longest) // 8)

    @cached_property
    def groups(self) -> Groups:
        """Groups of equal outputs, found on the device; only distinct outputs are copied."""
        return self.distinct(self.columns).groups

    def distinct(self, columns: int) -> Distinct:
        """Group outputs by their first `columns` words, and copy the distinct ones to the host."""
        device, columns = self.device, min(columns, self.words.shape[1])
        rows = group_rows(self.words, self.lengths, device.operations, columns=columns)
        texts = rows_here(device, self.words, rows.example, columns)
        return Distinct(texts.view(np.uint64), self._ends[rows.example], rows)


@frozen(eq=False)
class PackedRows:
    """The distinct outputs of n interpreters, in a form that can be pickled.

    Attributes:
        words: The outputs (k x columns uint64).
        lengths: Bytes written (k uint32).
        group_of: The output's index of each interpreter (n).
        size: Maximum bytes kept per interpreter.
    """

    words: np.ndarray[Any, Any]
    lengths: np.ndarray[Any, Any]
    group_of: np.ndarray[Any, Any]
    size: int

    @classmethod
    def of(cls, stream: Stream) -> PackedRows:
        """Group a stream on its device, and pack the result."""
        found = stream.distinct(stream.columns)
        group_of = found.rows.group_of.astype(np.uint32)
        return cls(found.words, found.lengths, group_of, stream.size)


class UnpackedStream(Stream):
    """A stream that was received from another machine, on the host."""

    packed: PackedRows

    def __init__(self, device: Device, packed: PackedRows) -> None:
        found = {"device": device, "size": packed.size, "packed": packed}
        self.__dict__.update(found)  # bypasses the frozen class's constructor

    @cached_property
    def words(self) -> np.ndarray[Any, Any]:
        """A row for each interpreter, as wide as the longest text."""
        rows: np.ndarray[Any, Any] = self.packed.words[self.packed.group_of]
        return rows

    @cached_property
    def lengths(self) -> np.ndarray[Any, Any]:
        """Bytes that each interpreter wrote."""
        lengths: np.ndarray[Any, Any] = self.packed.lengths[self.packed.group_of]
        return lengths

    def __len__(self) -> int:
        return len(self.packed.group_of)

    def distinct(self, columns: int) -> Distinct:
        """Return the outputs as they were packed."""
        words, packed = self.packed.words, self.packed
        if columns > words.shape[1]:
            words = np.pad(words, ((0, 0), (0, columns - words.shape[1])))
        _, example, count = np.unique(packed.group_of, return_index=True, return_counts=True)
        rows = Rows(example.astype(np.int64), count.astype(np.int64), example[packed.group_of])
        return Distinct(words[:, :columns], packed.lengths, rows)
