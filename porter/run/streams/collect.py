"""Emptying rings while interpreters run: docs/console.md."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from typing import Protocol

import attrs
from attrs import define

from porter.run.streams.ring import Batch

INTERVAL = 0.05  # seconds that output waits for more of the kind
MOST_PIECES = 1 << 18  # that wait

OnOutput = Callable[[Batch], None]


def flush_printed() -> None:
    """Out with what the C library holds of the process's stdout, where CUDA puts printf's text."""
    ctypes.CDLL(None).fflush(None)


class Source(Protocol):
    """Rings, of one device or of several."""

    def take(self) -> Batch | None:
        """What has come since; None when nothing has."""


@define
class Collector:
    """Empties rings all the time, and hands on what has come INTERVAL seconds after its first.

    So interpreters that write the same at about the same time are in one batch.
    """

    rings: Source
    on_output: OnOutput
    _batches: list[Batch] = attrs.field(factory=list)
    _since: float = 0.0

    def __call__(self, final: bool) -> bool:
        """Take what there is; final: and hand it on now. Returns whether there was anything."""
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
