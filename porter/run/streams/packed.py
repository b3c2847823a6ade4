"""A stream as it travels between machines: different outputs once, and who wrote which."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen

from porter.run.device.base import Device
from porter.run.streams.groups import Distinct, Stream
from porter.run.streams.merge import Rows


@frozen(eq=False)
class PackedRows:
    """Of n interpreters' outputs the different ones. It can be pickled.

    words: k x columns uint64; lengths: k uint32; group_of: n, the index of each one's output.
    size: bytes that were kept of each.
    """

    words: np.ndarray[Any, Any]
    lengths: np.ndarray[Any, Any]
    group_of: np.ndarray[Any, Any]
    size: int

    @classmethod
    def of(cls, stream: Stream) -> PackedRows:
        """Of a stream, where it is."""
        found = stream.distinct(stream.columns)
        group_of = found.rows.group_of.astype(np.uint32)
        return cls(found.words, found.lengths, group_of, stream.size)


class UnpackedStream(Stream):
    """A stream that has come from elsewhere, on the host."""

    packed: PackedRows

    def __init__(self, device: Device, packed: PackedRows) -> None:
        found = {"device": device, "size": packed.size, "packed": packed}
        self.__dict__.update(found)  # the class is frozen

    @cached_property
    def words(self) -> np.ndarray[Any, Any]:
        """A row for each interpreter, as wide as the longest text."""
        rows: np.ndarray[Any, Any] = self.packed.words[self.packed.group_of]
        return rows

    @cached_property
    def lengths(self) -> np.ndarray[Any, Any]:
        """Bytes that each wrote."""
        lengths: np.ndarray[Any, Any] = self.packed.lengths[self.packed.group_of]
        return lengths

    def __len__(self) -> int:
        return len(self.packed.group_of)

    def distinct(self, columns: int) -> Distinct:
        """As they came."""
        words, packed = self.packed.words, self.packed
        if columns > words.shape[1]:
            words = np.pad(words, ((0, 0), (0, columns - words.shape[1])))
        _, example, count = np.unique(packed.group_of, return_index=True, return_counts=True)
        rows = Rows(example.astype(np.int64), count.astype(np.int64), example[packed.group_of])
        return Distinct(words[:, :columns], packed.lengths, rows)
