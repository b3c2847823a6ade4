"""How notebooks show what arrays of interpreters have and leave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Any

import numpy as np
from attrs import frozen
from markupsafe import Markup

from porter.base import markup
from porter.run import Stream
from porter.run.streams.banners import SEARCHED, Line, render
from porter.run.streams.groups import Group

MOST_GROUPS = 10  # of one stream or of exceptions, where nothing else is said
MOST_BYTES = 1 << 11  # of one text in a summary
MOST_INDICES = 8  # of interpreters
TRACEBACK = b"Traceback (most recent call last):\n"


@frozen
class Piece:
    """Text that stands together. banner: it is a line of ours, without its dashes."""

    text: str
    banner: bool


def pieces(lines: Iterable[Line], most: int) -> Iterator[Piece]:
    """`lines` for people, texts that follow each other in one; at most `most` bytes of them."""
    open_text: list[bytes] = []
    left = most
    for line in lines:
        if line.banner:
            yield from _closed(open_text)
            yield Piece(line.text.decode().strip("- \n"), banner=True)
            continue
        open_text.append(line.text[:left])
        left -= len(line.text)
        if left < 0:
            yield from _closed(open_text)
            yield Piece("what follows is not shown here", banner=True)
            return
    yield from _closed(open_text)


def _closed(texts: list[bytes]) -> Iterator[Piece]:
    if text := b"".join(texts):
        yield Piece(markup.visible(text), banner=False)
    texts.clear()


def as_html(lines: Iterable[Line], most: int = 1 << 18, colour: str | None = None) -> Markup:
    """`lines` (banners.render) as HTML. colour: of programs' texts."""

    def part(piece: Piece) -> Markup:
        if piece.banner:
            return markup.banner(piece.text)
        return markup.block(piece.text, most=len(piece.text), colour=colour)

    return Markup("").join(map(part, pieces(lines, most)))


def as_text(lines: Iterable[Line], most: int = 1 << 18) -> str:
    """`lines` as a terminal would show them, but for control characters (markup.visible)."""
    text = ""
    for piece in pieces(lines, most):
        if piece.banner:
            fresh = "" if not text or text.endswith("\n") else "\n"
            text += f"{fresh}----- {piece.text} -----\n"
        else:
            text += piece.text
    return text


def stream_lines(stream: Stream, most_groups: int = MOST_GROUPS) -> Iterator[Line]:
    """What `render` makes of a stream's groups; nothing where all are silent or nothing is kept."""
    if stream.size and stream.longest:
        yield from render(stream.groups, max_groups=most_groups, n=len(stream))


def stderr_lines(
    stderr: Stream, failed: np.ndarray[Any, Any], most_groups: int = MOST_GROUPS
) -> Iterator[Line]:
    """As stream_lines, without the tracebacks that end what `failed` interpreters (n bools) wrote.

    The interpreters that wrote nothing else are left out.
    """
    if not stderr.size or not stderr.longest:
        return
    merged: dict[bytes, Group] = {}
    for group in islice(stderr.groups, SEARCHED):
        text, length = group.text, group.length
        if failed[group.example]:
            text = text[: max(0, text.rfind(TRACEBACK))]
            length = len(text)
        known = merged.get(text)
        count = group.count + (known.count if known else 0)
        merged[text] = Group(text, count, group.example, length)
    if merged.keys() != {b""}:
        groups = sorted(merged.values(), key=lambda group: -group.count)
        yield from render(groups, max_groups=most_groups, skip_empty=True)


def indices(which: np.ndarray[Any, Any]) -> str:
    """The first of `which` (rising indices) for people: `0, 3, 6, ...`."""
    shown = ", ".join(map(str, which[:MOST_INDICES].tolist()))
    return f"{shown}, ..." if len(which) > MOST_INDICES else shown


def exceptions_html(exceptions: Sequence[Any]) -> Markup:
    """The most frequent exceptions (exceptions.Raised), and how many there are besides."""
    parts = Markup("").join(map(_raised, islice(exceptions, MOST_GROUPS)))
    left = len(exceptions) - MOST_GROUPS
    return parts + markup.note(f"and {left:,} more different exceptions") if left > 0 else parts


def _raised(one: Any) -> Markup:
    lines = one.traceback.splitlines(keepends=True)
    frames = "".join(takewhile(lambda line: line.startswith(("Traceback (", "  ")), lines))
    above = markup.block(frames, most=MOST_BYTES) if frames else Markup("")
    below = markup.block(str(one), most=MOST_BYTES, colour=markup.RED)
    return markup.banner(f"{one.count}x: threadIdx {indices(one.which)}") + above + below


def many(count: int) -> str:
    """`count` interpreters in words."""
    return f"{count:,} interpreter{'' if count == 1 else 's'}"
