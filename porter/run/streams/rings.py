"""Output rings: interpreters send output to the host while they run (templates/port/interp.h)."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import attrs
import numpy as np
from attrs import define, frozen

from porter.run.device.base import Device

STREAMS = {1: "stdout", 2: "stderr"}
FIELDS = ("lane", "stream", "more", "length", "words")  # arrays of a Batch
MOST_RINGS = 64
WARP = 32  # minimum interpreters that share a ring
LEAST_SLOTS = 4  # minimum slots of a ring
_LINE = 64  # bytes of a cache line; each ring's tail has its own


@frozen(eq=False)
class Batch:
    """k pieces of output; pieces of one interpreter are in the order of writing.

    Attributes:
        lane: The interpreter's number in the launch (k uint32).
        stream: Keys of STREAMS (k uint32).
        more: Whether the text continues in that interpreter's next piece (k bools).
        length: Bytes of text (k uint32).
        words: The text, zero after its end (k x 14 uint64).
    """

    lane: np.ndarray[Any, Any]
    stream: np.ndarray[Any, Any]
    more: np.ndarray[Any, Any]
    length: np.ndarray[Any, Any]
    words: np.ndarray[Any, Any]

    def __len__(self) -> int:
        return len(self.lane)

    def __iter__(self) -> Iterator[tuple[int, str, bytes]]:
        """Yield (interpreter, "stdout" or "stderr", text) for each piece."""
        width = self.words.shape[1] * 8
        text = np.ascontiguousarray(self.words).tobytes()
        columns = (self.lane.tolist(), self.stream.tolist(), self.length.tolist())
        for i, (lane, stream, length) in enumerate(zip(*columns, strict=True)):
            yield lane, STREAMS[stream], text[i * width : i * width + length]

    def of(self, chosen: np.ndarray[Any, Any]) -> Batch:
        """Select pieces by `chosen` (k bools)."""
        return Batch(*(getattr(self, name)[chosen] for name in FIELDS))

    @classmethod
    def joined(cls, batches: Sequence[Batch]) -> Batch:
        """Concatenate batches."""
        if len(batches) == 1:
            return batches[0]
        return cls(*(np.concatenate([getattr(b, name) for b in batches]) for name in FIELDS))


class Rings:
    """The rings of one launch of `n` interpreters, of about `room` bytes in all."""

    def __init__(self, device: Device, n: int, room: int, *, drop: bool = False) -> None:
        text = device.built.constants["GPUSNEK_SLOT_TEXT"]
        self._more = device.built.constants["GPUSNEK_SLOT_MORE"]
        self._slot = np.dtype([("head", "<u4", 4), ("text", "<u8", text // 8)])
        self.count = min(MOST_RINGS, -(-n // WARP))
        each = max(LEAST_SLOTS, room // self._slot.itemsize // self.count)
        self.length = 1 << (each.bit_length() - 1)
        slots = self.count * self.length * self._slot.itemsize
        self._shared = device.shared(slots + self.count * _LINE)
        self._slots = self._shared.view[:slots].view(self._slot).reshape(self.count, self.length)
        self._stamps = self._slots["head"][:, :, 0]
        self._published = self._shared.view[slots:].view(np.uint64)[:: _LINE // 8]
        self._tails = np.zeros(self.count, np.int64)
        self._order = np.arange(self.length)
        which = np.arange(self.count, dtype=np.uint64)
        records = np.zeros(self.count, device.built.ring)
        address = self._shared.address
        records["slots"] = address + which * np.uint64(self.length * self._slot.itemsize)
        records["tail"] = address + slots + which * np.uint64(_LINE)
        records["length"] = self.length
        records["drop"] = drop
        self.records = device.array(records.view(np.uint8))

    def take(self) -> Batch | None:
        """Take the pieces that arrived since the last call, and free their slots; None if none."""
        mask = self.length - 1
        rings = np.arange(self.count)
        first = self._stamps[rings, self._tails & mask]
        active = np.flatnonzero(first == self._stamp(self._tails))
        if not len(active):
            return None
        parts = []
        for ring in active:
            tickets = self._tails[ring] + self._order
            ready = self._stamps[ring, tickets & mask] == self._stamp(tickets)
            count = self.length if ready.all() else int(ready.argmin())
            parts.append(self._slots[ring, tickets[:count] & mask])
            self._tails[ring] += count
            # Publish the tail after the copy: interpreters may then overwrite these slots.
            self._published[ring] = self._tails[ring]
        taken = np.concatenate(parts)
        head, words = taken["head"], taken["text"]
        # Zero the remainder of an earlier, longer text in the slot.
        words[np.arange(words.shape[1]) * 8 >= head[:, 3:]] = 0
        stream = head[:, 2] & ~np.uint32(self._more)
        return Batch(head[:, 1], stream, head[:, 2] != stream, head[:, 3], words)

    @staticmethod
    def _stamp(tickets: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return (tickets + 1).astype(np.uint32)


INTERVAL = 0.05  # seconds for which output is collected into one batch
MOST_PIECES = 1 << 18  # maximum pieces in a batch

OnOutput = Callable[[Batch], None]


def flush_printed() -> None:
    """Flush the C library's stdout, to which CUDA writes the text of device printf."""
    ctypes.CDLL(None).fflush(None)


class Source(Protocol):
    """Rings of one device or of several."""

    def take(self) -> Batch | None:
        """Take the pieces that arrived since the last call; None if none did."""


@define
class Collector:
    """A pump that empties rings, and passes on a batch INTERVAL seconds after its first piece.

    Interpreters that write the same text at about the same time are then in one batch.
    """

    rings: Source
    on_output: OnOutput
    _batches: list[Batch] = attrs.field(factory=list)
    _since: float = 0.0

    def __call__(self, final: bool) -> bool:
        """Take pieces from the rings.

        Args:
            final: Pass the batch on now.

        Returns:
            Whether there were any pieces.
        """
        batch = self.rings.take()
        if batch is not None:
            if not self._batches:
                self._since = time.monotonic()
            self._batches.append(batch)
        if not self._batches:
            return False
        full = sum(map(len, self._batches)) >= MOST_PIECES
        if final or full or time.monotonic() >= self._since + INTERVAL:
            batches, self._batches = self._batches, []
            self.on_output(Batch.joined(batches))
        return batch is not None
