"""Write programs' output to the terminal byte for byte, with porter's banners in between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from porter.run.streams.banners import STYLE, Line

if TYPE_CHECKING:
    from rich.console import Console

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
