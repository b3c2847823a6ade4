"""Tracebacks of programs with the lines of their cells, as Jupyter and terminals colour them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from attrs import frozen
from pygments import highlight
from pygments.formatters import TerminalFormatter
from pygments.formatters.terminal import TERMINAL_COLORS
from pygments.lexers import PythonLexer
from pygments.token import Comment, Whitespace

from porter.array import Raised
from porter.array.shown import indices
from porter.base.markup import shortened, visible
from porter.errors import InterpreterError, PorterError, ProgramSyntaxError

AROUND = 2  # lines above and below the one that is marked
MOST_SHOWN = 3  # different exceptions
MOST_TRACEBACK = 1 << 14  # characters of one
# JupyterLab's greys vanish in one theme or the other, and its bold colours in the dark one.
COLOURS = {**TERMINAL_COLORS, Whitespace: ("", ""), Comment: ("", "")}
_FRAME = re.compile(r'  File "(?P<name>[^"]*)", line (?P<line>\d{1,9})\b')
_ABOVE = ("Traceback ", "  ")  # how the lines above the exception begin
# Of ANSI: each ends with RESET.
RED, GREEN, BOLD, MARKED, RESET = (f"\x1b[{code}m" for code in ("31", "32", "1", "30;43", "0"))


@frozen
class Excerpts:
    """Writes errors with lines of `sources`, the texts of cells by what tracebacks call them."""

    sources: Mapping[str, str]

    def error(self, error: PorterError) -> list[str]:
        """Lines for `error`, of which the last says what it is."""
        lines: list[str] = []
        message = error.message
        if isinstance(error, InterpreterError):
            message = message.split("\n", 1)[0]
            lines += self.raised(error.exceptions)
        elif isinstance(error, ProgramSyntaxError):
            above, _, message = message.rpartition("\n")
            lines += self.traceback(above)
        lines.append(f"{RED}{type(error).__name__}{RESET}: {shortened(message, MOST_TRACEBACK)}")
        if error.hint:
            lines.append(f"{BOLD}hint{RESET}: {visible(error.hint)}")
        return lines

    def raised(self, exceptions: Sequence[Raised]) -> list[str]:
        """Lines for the most frequent exceptions."""
        lines: list[str] = []
        for one in exceptions[:MOST_SHOWN]:
            lines.append(f"{BOLD}----- {one.count}x -----{RESET} threadIdx {indices(one.which)}")
            lines += self.traceback(one.traceback)
        if len(exceptions) > MOST_SHOWN:
            lines.append(f"... and {len(exceptions) - MOST_SHOWN} more different exceptions")
        return [*lines, ""] if lines else []

    def traceback(self, text: str) -> list[str]:
        """The lines of a traceback, below each frame of a cell the cell's lines around it.

        A frame that follows itself is counted, and a place is shown once.
        """
        lines: list[str] = []
        places: set[str] = set()
        whole = shortened(text.rstrip("\n"), MOST_TRACEBACK).split("\n")
        end = next((i for i, line in enumerate(whole) if not line.startswith(_ABOVE)), len(whole))
        for line, same in groupby(whole[:end]):
            frame = _FRAME.match(line)
            lines.append(f"{GREEN}{line}{RESET}" if frame else line)
            if frame and line not in places:
                places.add(line)
                lines += self._around(frame["name"], int(frame["line"]))
            if more := len(list(same)) - 1:
                lines.append(f"  ... and {more} more such frames")
        return [*lines, *(f"{RED}{line}{RESET}" for line in whole[end:])]

    def _around(self, name: str, number: int) -> Iterator[str]:
        source = self.sources.get(name)
        if source is None:
            return
        lines = visible(source).split("\n")
        coloured = highlighted("\n".join(lines)).split("\n")
        for at in range(max(1, number - AROUND), min(len(lines), number + AROUND) + 1):
            if at == number:
                arrow = f"{'-' * (6 - len(str(at)))}> {at}"
                code = lines[at - 1].lstrip()
                blank = lines[at - 1].removesuffix(code)
                yield f"{BOLD}{arrow}{RESET} {blank}{MARKED}{code}{RESET}"
            else:
                yield f"{at:>8} {coloured[at - 1]}"


def highlighted(source: str) -> str:
    """`source` in colours, each line by itself."""
    # Neither adds nor takes away a line.
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    return str(highlight(source, lexer, TerminalFormatter(colorscheme=COLOURS)))
