"""Output streams of interpreters, and groups of equal outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from attrs import field, frozen

from porter.base.arguments import whole
from porter.run.device.base import Array, Device
from porter.run.streams.merge import Rows, group_rows, rows_here


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
