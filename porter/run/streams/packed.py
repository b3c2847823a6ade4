"""Serialize streams for other machines: distinct outputs, and the group of each interpreter."""

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
