"""Live output display: equal lines under one banner, in the order in which they were written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from attrs import frozen

from porter.run.streams.banners import NEWLINE, Line, banner, note
from porter.run.streams.merge import group_rows
from porter.run.streams.ring import STREAMS, Batch

LONGEST = 1 << 16  # bytes; an unfinished line of this length is displayed without its end
Write = Callable[[str, list[Line]], None]  # (stream, lines)


@frozen
class Chunk:
    """The text that `count` interpreters wrote as number `turn` of their texts in one batch."""

    turn: int
    stream: int
    text: bytes
    count: int
    lane: int


class Live:
    """Displays batches of `n` interpreters through `write`, at most `max_groups` texts per turn.

    With one interpreter, text is passed on unchanged. With several, the first text that each wrote
    in a batch is compared, then the second, and so on. A text that all wrote is unchanged. A text
    that several wrote stands under a banner, and a text of one interpreter follows its number; both
    end in a newline.
    """

    def __init__(self, n: int, write: Write, max_groups: int | None = None) -> None:
        self._n, self._write, self._max = n, write, max_groups
        self._open: dict[tuple[int, int], bytes] = {}  # (lane, stream): unfinished text

    def __call__(self, batch: Batch) -> None:
        """Display `batch`."""
        if self._n == 1:
            self._pass(batch)
            return
        several = self._unfinished(batch)
        chunks = [*self._single(batch, ~several), *self._long(batch, several)]
        chunks.sort(key=lambda chunk: (chunk.turn, -chunk.count, chunk.lane))
        self._show(chunks)

    def finish(self) -> None:
        """Display unfinished texts."""
        rest, self._open = self._open, {}
        for (lane, stream), text in rest.items():
            self._write(STREAMS[stream], self._lines(Chunk(0, stream, text, 1, lane)))

    def _pass(self, batch: Batch) -> None:
        for _, name, text in batch:
            self._write(name, [Line(text)])

    def _unfinished(self, batch: Batch) -> np.ndarray[Any, Any]:
        """Return which pieces belong to interpreters with texts of several pieces (k bools)."""
        lanes = {lane for lane, _ in self._open} | set(batch.lane[batch.more].tolist())
        if not lanes:
            return np.zeros(len(batch), bool)
        return np.isin(batch.lane, np.fromiter(lanes, np.uint32))

    def _single(self, batch: Batch, chosen: np.ndarray[Any, Any]) -> Iterator[Chunk]:
        """Yield texts of one piece each, grouped without a loop over pieces."""
        lane, stream = batch.lane[chosen], batch.stream[chosen]
        if not len(lane):
            return
        words, length = batch.words[chosen], batch.length[chosen]
        turn = _turns(lane)
        keys = np.column_stack([turn.astype(np.uint64), stream.astype(np.uint64), words])
        rows = group_rows(keys, length)
        order = np.lexsort((rows.example, -rows.count, turn[rows.example]))
        if self._max is not None:  # the most frequent texts of each turn, and one more for the note
            order = order[_turns(turn[rows.example][order]) <= self._max]
        for group in order.tolist():
            at = int(rows.example[group])
            text = words[at].tobytes()[: int(length[at])]
            count = int(rows.count[group])
            yield Chunk(int(turn[at]), int(stream[at]), text, count, int(lane[at]))

    def _long(self, batch: Batch, chosen: np.ndarray[Any, Any]) -> Iterator[Chunk]:
        """Yield texts that consist of several pieces."""
        if not chosen.any():
            return
        turns: dict[int, int] = {}
        groups: dict[tuple[int, int, bytes], list[int]] = {}
        pieces = batch.of(chosen)
        streams, more = pieces.stream.tolist(), pieces.more.tolist()
        for (lane, _, text), stream, goes_on in zip(pieces, streams, more, strict=True):
            text = self._open.pop((lane, stream), b"") + text
            if goes_on and len(text) < LONGEST:
                self._open[lane, stream] = text
                continue
            turn = turns.get(lane, 0)
            turns[lane] = turn + 1
            groups.setdefault((turn, stream, text), []).append(lane)
        for (turn, stream, text), lanes in groups.items():
            yield Chunk(turn, stream, text, len(lanes), lanes[0])

    def _show(self, chunks: list[Chunk]) -> None:
        turn, shown, hidden = -1, 0, 0
        for chunk in chunks:
            if chunk.turn != turn:
                self._note(hidden)
                turn, shown, hidden = chunk.turn, 0, 0
            shown += 1
            if self._max is not None and shown > self._max:
                hidden += 1
            else:
                self._write(STREAMS[chunk.stream], self._lines(chunk))
        self._note(hidden)

    def _note(self, hidden: int) -> None:
        if hidden:
            self._write("stdout", [note("and more different lines")])

    def _lines(self, chunk: Chunk) -> list[Line]:
        body = [Line(chunk.text)]
        if chunk.count == self._n:
            return body
        if not chunk.text.endswith(b"\n"):
            body.append(NEWLINE)
        if chunk.count == 1:
            return [Line(f"[{chunk.lane}] ".encode(), banner=True), *body]
        return [banner(chunk.count), *body]


def _turns(keys: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return for each key how many equal keys precede it."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.ones(len(keys), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(first)
    ranks = np.arange(len(keys)) - np.repeat(starts, np.diff(np.append(starts, len(keys))))
    turns = np.empty(len(keys), np.int64)
    turns[order] = ranks
    return turns
