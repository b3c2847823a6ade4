"""Empty output rings while interpreters run, and pass batches to the caller: docs/console.md."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from typing import Protocol

import attrs
from attrs import define

from porter.run.streams.ring import Batch

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
