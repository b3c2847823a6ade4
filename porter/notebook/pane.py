"""The output area of a cell: text, updated while interpreters run, and `outbuf` as a picture."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from attrs import define, field
from IPython.display import display
from markupsafe import Markup
from rich.console import Console

from porter.array import Outcome
from porter.array.html import as_html, as_text, many, stderr_lines, stream_lines
from porter.base import markup
from porter.errors import UsageError
from porter.notebook.named_interpreters import PIXEL, CellInterpreters
from porter.notebook.options import SQUARE
from porter.repl.picture import pixels, png_of
from porter.run.streams.display import Line, Writer

PATIENCE = 0.5  # seconds before a launch gets a progress bar
INTERVAL = 0.2  # seconds between updates
MOST_LIVE = 1 << 16  # bytes of live output that stay visible
MOST_PIECES = 400  # maximum pieces of live output, banners included


@define
class Pane:
    """The display below a cell.

    A notebook's display can be updated (`moving`). A terminal's cannot: there live output is
    printed at once, and there is no progress bar.
    """

    n: int
    moving: bool
    _handle: Any = None
    _notes: list[str] = field(factory=list)
    _live: deque[tuple[str, Line]] = field(factory=deque)
    _live_bytes: int = 0
    _left_out: int = 0
    _began: float = field(factory=time.monotonic)
    _shown: float = 0.0  # time of the last update
    _ended: int | None = None
    _writers: dict[str, Writer] = field(factory=dict)

    def note(self, text: str) -> None:
        """Show a message of porter above the output."""
        if self.moving:
            self._notes.append(text)
            self._replace(*self._above())
        else:
            print(text)

    def start(self) -> None:
        """Record the start of the launch."""
        self._began = time.monotonic()

    def progress(self, ended: int | None) -> None:
        """Show progress: `ended` interpreters have ended, None if unknown (Launch.on_progress)."""
        self._ended = ended
        if self.moving and time.monotonic() >= self._began + PATIENCE:
            self._move()

    def live(self, stream: str, lines: Sequence[Line]) -> None:
        """Show new output (live.Write)."""
        if not self.moving:
            if stream not in self._writers:
                console = Console(file=getattr(sys, stream), highlight=False)
                self._writers[stream] = Writer(console)
            self._writers[stream].write(lines)
            return
        for line in lines:
            self._live.append((stream, line))
            self._live_bytes += len(line.text)
        while self._live_bytes > MOST_LIVE or len(self._live) > MOST_PIECES:
            _, gone = self._live.popleft()
            self._live_bytes -= len(gone.text)
            self._left_out += len(gone.text)
        self._move()

    def finish(self, outcome: Outcome, *, max_groups: int) -> None:
        """Show the final output in place of live output."""
        html, text = self._above()
        if not self._live:
            out = list(stream_lines(outcome.stdout, max_groups))
            err = list(stderr_lines(outcome.stderr, outcome.failed, max_groups))
            html += as_html(out) + as_html(err, colour=markup.RED)
            for lines in (out, err):
                text += ("" if text.endswith("\n") or not text else "\n") + as_text(lines)
        live_html, live_text = self._live_parts()
        html, text = html + live_html, text + live_text
        if not html and self._handle is not None:
            done = f"{many(self.n)}, {outcome.seconds:.1f} s"
            html, text = markup.note(done), done
        if html:
            self._replace(html, text)

    def _above(self) -> tuple[Markup, str]:
        html = Markup("").join(map(markup.note, self._notes))
        return html, "".join(f"{note}\n" for note in self._notes)

    def _live_parts(self) -> tuple[Markup, str]:
        html, text = Markup(""), ""
        if self._left_out:
            said = f"{self._left_out:,} bytes before this are not shown"
            html, text = markup.note(said), f"{said}\n"
        for stream, lines in _runs(self._live):
            colour = markup.RED if stream == "stderr" else None
            html += as_html(lines, 2 * MOST_LIVE, colour)
            text += as_text(lines, 2 * MOST_LIVE)
        return html, text

    def _move(self) -> None:
        now = time.monotonic()
        if now < self._shown + INTERVAL:
            return
        self._shown = now
        what = f"{many(self.n)} run"
        if self._ended is not None:
            what = f"{self._ended:,} of {many(self.n)} have ended"
        what += f", {now - self._began:.1f} s"
        html, text = self._above()
        live_html, live_text = self._live_parts()
        bar = markup.progress(what, self._ended, self.n)
        self._replace(html + live_html + bar, text + live_text + what)

    def _replace(self, html: Markup, text: str) -> None:
        data = {"text/html": str(html), "text/plain": text.removesuffix("\n")}
        if self._handle is not None:
            self._handle.update(data, raw=True)
        elif self.moving:
            self._handle = display(data, raw=True, display_id=True)
        else:
            display(data, raw=True)


def _runs(pieces: Iterable[tuple[str, Line]]) -> list[tuple[str, list[Line]]]:
    """Return adjacent `pieces` of the same stream merged into groups."""
    runs: list[tuple[str, list[Line]]] = []
    for stream, line in pieces:
        if runs and runs[-1][0] == stream:
            runs[-1][1].append(line)
        else:
            runs.append((stream, [line]))
    return runs


LEAST_SIDE = 256  # pixels; smaller pictures are enlarged by an integer factor


def show_outbuf(array: CellInterpreters, size: tuple[int, int] | str) -> None:
    """Display the outbuf of `array` as a PNG.

    Args:
        array: The interpreters.
        size: Width and height in pixels, or SQUARE for the largest square in outbuf.

    Raises:
        UsageError: There is no outbuf, or it is too small.
    """
    if array.outbuf is None:
        raise UsageError("--image: these interpreters have no outbuf", hint="Give --outbuf SIZE.")
    buffer = array.device.host(array.outbuf)
    if isinstance(size, str):
        assert size == SQUARE
        side = int((buffer.size // PIXEL) ** 0.5)
        if not side:
            raise UsageError(f"--image: outbuf of {buffer.size} bytes is smaller than one pixel")
        size = (side, side)
    picture = pixels(buffer, *size)
    factor = max(1, -(-LEAST_SIDE // max(size)))
    large = np.repeat(np.repeat(picture, factor, axis=0), factor, axis=1)
    text = f"outbuf: {size[0]}x{size[1]} pixels"
    data: dict[str, Any] = {"image/png": png_of(large), "text/plain": text}
    display(data, raw=True)
