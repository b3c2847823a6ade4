"""Format tracebacks with the source lines of cells, coloured for Jupyter and terminals."""

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
from porter.array.html import indices
from porter.base.markup import shortened, visible
from porter.errors import InterpreterError, PorterError, ProgramSyntaxError

AROUND = 2  # context lines above and below the marked line
MOST_SHOWN = 3  # maximum number of different exceptions
MOST_TRACEBACK = 1 << 14  # maximum characters of one traceback
# JupyterLab's greys are invisible in one theme or the other, its bold colours in the dark theme.
COLOURS = {**TERMINAL_COLORS, Whitespace: ("", ""), Comment: ("", "")}
_FRAME = re.compile(r'  File "(?P<name>[^"]*)", line (?P<line>\d{1,9})\b')
_ABOVE = ("Traceback ", "  ")  # prefixes of the lines above the exception
# ANSI escape codes; RESET ends each.
RED, GREEN, BOLD, MARKED, RESET = (f"\x1b[{code}m" for code in ("31", "32", "1", "30;43", "0"))


@frozen
class Excerpts:
    """Formats errors with lines of `sources`: texts of cells, by their file names in tracebacks."""

    sources: Mapping[str, str]

    def error(self, error: PorterError) -> list[str]:
        """Return the lines for `error`; the last one is its message."""
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
        """Return the lines for the most frequent exceptions."""
        lines: list[str] = []
        for one in exceptions[:MOST_SHOWN]:
            lines.append(f"{BOLD}----- {one.count}x -----{RESET} threadIdx {indices(one.which)}")
            lines += self.traceback(one.traceback)
        if len(exceptions) > MOST_SHOWN:
            lines.append(f"... and {len(exceptions) - MOST_SHOWN} more different exceptions")
        return [*lines, ""] if lines else []

    def traceback(self, text: str) -> list[str]:
        """Return a traceback's lines; source lines follow each frame in a cell.

        Repeated frames are counted, and each location is shown once.
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
    """Return `source` with colours that do not span lines."""
    # stripnl, ensurenl: the lexer must not change the number of lines.
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    return str(highlight(source, lexer, TerminalFormatter(colorscheme=COLOURS)))
