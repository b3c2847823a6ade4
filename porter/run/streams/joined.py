"""Output streams of interpreters that ran on several devices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from porter.run.device.several import Part, Several, on_each
from porter.run.streams.groups import Distinct, Stream
from porter.run.streams.merge import Rows, group_rows


class JoinedStream(Stream):
    """The streams of `parts`, in their order. Each stays on its device until rows are read."""

    parts: tuple[Part, ...]
    streams: tuple[Stream, ...]

    def __init__(
        self, device: Several, parts: Sequence[Part], streams: Sequence[Stream], size: int
    ) -> None:
        found = {"device": device, "size": size, "parts": tuple(parts), "streams": tuple(streams)}
        self.__dict__.update(found)  # bypasses the frozen class's constructor

    @cached_property
    def words(self) -> np.ndarray[Any, Any]:
        """All rows, copied to the host."""
        found = self._each(lambda stream: _wide(stream.device.host(stream.words), self.size // 8))
        return np.concatenate(found)

    @cached_property
    def lengths(self) -> np.ndarray[Any, Any]:
        """Bytes that each interpreter wrote, on the host."""
        return np.concatenate(self._each(lambda stream: stream.device.host(stream.lengths)))

    def __len__(self) -> int:
        return sum(part.count for part in self.parts)

    def _row(self, index: int) -> bytes:
        for part, stream in zip(self.parts, self.streams, strict=True):
            if index < part.first + part.count:
                with part.device.here():
                    return stream[index - part.first]
        raise AssertionError("the caller has checked the index")

    def of(self, which: np.ndarray[Any, Any]) -> Stream:
        """Return the stream of the interpreters `which` (indices), as a copy on the host."""
        which = np.asarray(which)
        words = np.zeros((len(which), self.size // 8), np.uint64)
        lengths = np.zeros(len(which), np.uint32)
        for part, stream in zip(self.parts, self.streams, strict=True):
            here = np.flatnonzero((which >= part.first) & (which < part.first + part.count))
            if len(here):
                with part.device.here():
                    some = stream.of(which[here] - part.first)
                    words[here] = _wide(stream.device.host(some.words), words.shape[1])
                    lengths[here] = stream.device.host(some.lengths)
        return Stream(self.device, words, lengths, self.size)

    @cached_property
    def longest(self) -> int:
        """The maximum bytes that an interpreter wrote."""
        return max(self._each(lambda stream: stream.longest), default=0)

    @cached_property
    def cut(self) -> np.ndarray[Any, Any]:
        """Which interpreters wrote more than was kept (n bools, numpy)."""
        return np.concatenate(self._each(lambda stream: stream.cut))

    def distinct(self, columns: int) -> Distinct:
        """Group outputs on each device, then merge the groups of all devices."""
        found = self._each(lambda stream: stream.distinct(columns))
        words = np.concatenate([_wide(each.words, columns) for each in found])
        lengths = np.concatenate([each.lengths for each in found])
        rows = group_rows(words, lengths)
        counts = np.zeros(len(rows.count), np.int64)
        np.add.at(counts, rows.group_of, np.concatenate([each.rows.count for each in found]))
        every = list(zip(self.parts, found, strict=True))
        examples = np.concatenate([part.first + each.rows.example for part, each in every])
        firsts = np.concatenate([part.first + each.rows.first for part, each in every])
        # The first of equal rows is in the first part, so its example is the minimum of all.
        of_example = np.zeros(len(firsts), np.int64)
        of_example[examples] = examples[rows.first]
        merged = Rows(examples[rows.example], counts, of_example[firsts])
        return Distinct(words[rows.example], lengths[rows.example], merged)

    def _each(self, work: Any) -> list[Any]:
        return on_each(self.parts, lambda k: work(self.streams[k]))


def _wide(words: np.ndarray[Any, Any], columns: int) -> np.ndarray[Any, Any]:
    """Pad rows to `columns` words; rows of a failed device have none."""
    missing = columns - words.shape[1]
    return np.pad(words, ((0, 0), (0, missing))) if missing else words
