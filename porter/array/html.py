"""Notebook display of arrays of interpreters and their outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Any

import numpy as np
from attrs import frozen
from markupsafe import Markup

from porter.base import markup
from porter.run import Stream
from porter.run.streams.display import SEARCHED, Line, render
from porter.run.streams.groups import Group

MOST_GROUPS = 10  # groups of one stream, or exceptions; the default
MOST_BYTES = 1 << 11  # bytes of one text in a summary
MOST_INDICES = 8  # indices of interpreters
TRACEBACK = b"Traceback (most recent call last):\n"


@frozen
class Piece:
    """Consecutive text of a display, or a banner.

    Attributes:
        text: The text; of a banner without its dashes.
        banner: Whether it is a line of porter's own.
    """

    text: str
    banner: bool


def pieces(lines: Iterable[Line], most: int) -> Iterator[Piece]:
    """Merge consecutive texts of `lines`, and make them visible; at most `most` bytes."""
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
    """Render `lines` (banners.render) as HTML. colour: the colour of programs' texts."""

    def part(piece: Piece) -> Markup:
        if piece.banner:
            return markup.banner(piece.text)
        return markup.block(piece.text, most=len(piece.text), colour=colour)

    return Markup("").join(map(part, pieces(lines, most)))


def as_text(lines: Iterable[Line], most: int = 1 << 18) -> str:
    """Render `lines` as a terminal shows them, with control characters visible (markup.visible)."""
    text = ""
    for piece in pieces(lines, most):
        if piece.banner:
            fresh = "" if not text or text.endswith("\n") else "\n"
            text += f"{fresh}----- {piece.text} -----\n"
        else:
            text += piece.text
    return text


def stream_lines(stream: Stream, most_groups: int = MOST_GROUPS) -> Iterator[Line]:
    """Render a stream's groups; yield nothing where there is no output, or none is kept."""
    if stream.size and stream.longest:
        yield from render(stream.groups, max_groups=most_groups, n=len(stream))


def stderr_lines(
    stderr: Stream, failed: np.ndarray[Any, Any], most_groups: int = MOST_GROUPS
) -> Iterator[Line]:
    """Render stderr as stream_lines does, without the final tracebacks of `failed` interpreters.

    Interpreters that wrote nothing else are omitted.

    Args:
        stderr: The stream.
        failed: Which interpreters failed (n bools).
        most_groups: Maximum number of groups.
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
    """Return the first of `which` (ascending indices) for display: `0, 3, 6, ...`."""
    shown = ", ".join(map(str, which[:MOST_INDICES].tolist()))
    return f"{shown}, ..." if len(which) > MOST_INDICES else shown


def exceptions_html(exceptions: Sequence[Any]) -> Markup:
    """Render the most frequent exceptions (exceptions.Raised), and the number of others."""
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
    """Return "`count` interpreters" in words."""
    return f"{count:,} interpreter{'' if count == 1 else 's'}"
