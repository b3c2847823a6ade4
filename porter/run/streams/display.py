"""Display of outputs: groups under `----- 349526x -----` (paper, Figures 1 and 5), live output.

`render` converts the groups of a finished launch to lines. `Live` converts batches of a running
launch. `Writer` writes lines to the terminal byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import frozen

from porter.run.streams.groups import Group, group_rows
from porter.run.streams.rings import STREAMS, Batch

if TYPE_CHECKING:
    from rich.console import Console


STYLE = "turquoise2"
SEARCHED = 4096  # number of groups that are searched for the empty one


@frozen
class Line:
    """A unit of display: bytes of a program's output, or a banner or note of porter.

    A banner is ASCII and ends in a newline, except the number before a single interpreter's text.
    """

    text: bytes
    banner: bool = False


NEWLINE = Line(b"\n")  # separates a text without a final newline from the next line


def note(text: str) -> Line:
    """Return a line of porter's own."""
    return Line(f"----- {text} -----\n".encode(), banner=True)


def banner(count: int) -> Line:
    """Return the line above a group of `count` interpreters."""
    return note(f"{count}x")


def _rest(groups: int, interpreters: int | None) -> Line:
    of = "" if interpreters is None else f" of {interpreters} interpreter{_s(interpreters)}"
    return note(f"{groups} more different output{_s(groups)}{of}")


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def render(
    groups: Sequence[Group],
    *,
    max_groups: int | None = None,
    skip_empty: bool = False,
    n: int | None = None,
) -> Iterator[Line]:
    """Yield the lines that display `groups`, the largest group first.

    A single group is its text alone, byte for byte. With several groups, each text stands under a
    banner and ends in a newline, which is added where it is missing.

    Args:
        groups: The groups.
        max_groups: Number of groups to display; a note counts the others.
        skip_empty: Omit the group without output.
        n: Interpreters of all groups; the note then also counts interpreters.
    """
    several = len(groups) > 1
    empty = None
    if skip_empty and several:
        empty = next((i for i in range(min(len(groups), SEARCHED)) if not groups[i].length), None)
    left = len(groups) - (empty is not None)
    passed = 0 if empty is None else groups[empty].count
    some = (group for index, group in enumerate(groups) if index != empty)
    for group in islice(some, max_groups):
        if several:
            yield banner(group.count)
        yield from _body(group, several)
        left -= 1
        passed += group.count
    if left:
        yield _rest(left, None if n is None else n - passed)


def _body(group: Group, several: bool) -> Iterator[Line]:
    if group.text:
        yield Line(group.text)
        if not group.text.endswith(b"\n") and (several or group.cut):
            yield NEWLINE
    if group.cut:
        yield note(f"cut: {len(group.text)} of {group.length} bytes kept")


CHUNK = 4096  # lines per write
MARK = "@"  # a placeholder for a banner, to learn rich's escape sequences


class Writer:
    """Writes Lines to a console's file, without the console's encoding and rich's markup."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._fresh = True  # at the start of a line

    def write(self, lines: Iterable[Line]) -> None:
        """Write `lines` and flush. A banner starts on a new line."""
        before, after = self._style()
        parts = self._parts(lines, before, after)
        while part := b"".join(islice(parts, CHUNK)):
            self._put(part)

    def fresh_line(self) -> None:
        """End an unfinished line of a program's output, before a line of porter's own."""
        if not self._fresh:
            self._fresh = True
            self._put(b"\n")

    def _parts(self, lines: Iterable[Line], before: bytes, after: bytes) -> Iterator[bytes]:
        for line in lines:
            if not line.text:
                continue
            ended = line.text.endswith(b"\n")
            if not line.banner:
                yield line.text
            else:
                start = b"" if self._fresh else b"\n"
                yield start + before + line.text.removesuffix(b"\n") + after + b"\n" * ended
            self._fresh = ended

    def _style(self) -> tuple[bytes, bytes]:
        """Return the escape sequences around a banner. Queried once, because rich is slow."""
        if not self._console.is_terminal:
            return b"", b""
        from rich.text import Text

        with self._console.capture() as capture:
            self._console.print(Text(MARK, STYLE), end="")
        before, _, after = capture.get().partition(MARK)
        return before.encode(), after.encode()

    def _put(self, data: bytes) -> None:
        file: Any = self._console.file
        file.flush()
        binary = getattr(file, "buffer", None)
        if binary is None:  # a text file only, such as StringIO
            file.write(data.decode("utf-8", "surrogateescape"))
            return
        rest = memoryview(data)
        while rest:  # under `python -u` the file is unbuffered, and a write may be partial
            rest = rest[binary.write(rest) or 0 :]
        binary.flush()


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
