"""Split typed, piped or pasted text into statements, and parse transcripts.

A transcript has inputs after prompts and their outputs, as in the paper's Figure 5.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import dropwhile

from attrs import define, field, frozen

Continues = Callable[[str], bool]  # Prompter.continues: MicroPython's own rule

PROMPTS = (">>> ", "... ")
_CLAUSE = re.compile(r"(elif|else|except|finally)\b")  # continues the previous statement


def unprompted(line: str) -> str:
    """Return `line` without the prompt that precedes it in a transcript."""
    if line in (">>>", "..."):
        return ""
    return line[4:] if line.startswith(PROMPTS) else line


@define
class Statements:
    """Collects lines and yields complete statements. A blank line ends a block.

    In contrast to MicroPython's prompt, an unindented line that cannot belong to the open block
    ends it as well. So the paper's figures and most scripts can be piped unchanged.
    """

    continues: Continues
    _lines: list[str] = field(factory=list)

    @property
    def open(self) -> bool:
        """Whether a statement has begun and needs more lines."""
        return bool(self._lines)

    def feed(self, line: str) -> Iterator[str]:
        """Add a line and yield the statements that it completes: none, one or two.

        A line that begins with % is a statement of its own.

        Args:
            line: The line without its newline.
        """
        if self._lines and _begins(line) and self._could_end():
            yield from self.flush()
        if not self._lines and line.startswith("%"):
            yield line
            return
        if not self._lines and _nothing(line):
            return
        if not line.strip():
            line = "" if self._could_end() else line
        self._lines.append(line)
        if not self.continues("\n".join(self._lines)):
            yield from self.flush()

    def flush(self) -> Iterator[str]:
        """Yield the open statement, if any, complete or not."""
        lines, self._lines = self._lines, []
        if lines:
            yield "\n".join(lines) + "\n"

    def _could_end(self) -> bool:
        if _decorated(self._lines):
            return False
        return not self.continues("\n".join(self._lines) + "\n")


def split(text: str, continues: Continues) -> Iterator[str]:
    """Yield the statements of a program part; blocks may contain blank lines.

    A statement begins at an unindented line outside of brackets and quotes.
    """
    lines: list[str] = []
    for line in text.splitlines():
        ended = lines and _begins(line) and not _decorated(lines)
        if ended and not continues("\n".join(lines) + "\n"):
            yield from _whole(lines)
            lines = []
        lines.append(line)
    yield from _whole(lines)


def _whole(lines: list[str]) -> Iterator[str]:
    # MicroPython reads a comment before an interactive statement as an empty statement.
    text = "\n".join(dropwhile(_nothing, lines)).rstrip()
    if text:
        yield text + "\n"


def _nothing(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _begins(line: str) -> bool:
    return bool(line.strip()) and not line[0].isspace() and line[0] != "#" and not _clause(line)


def _clause(line: str) -> bool:
    return _CLAUSE.match(line) is not None


def _decorated(lines: list[str]) -> bool:
    """Return whether all lines so far are decorators, so that a definition must follow."""
    return all(line.startswith("@") or not line.strip() for line in lines)


PRIMARY, CONTINUED = (prompt.rstrip() for prompt in PROMPTS)


@frozen
class Exchange:
    """An input (lines without prompts) and the text printed after it."""

    source: str
    printed: str


def exchanges(text: str) -> Iterator[Exchange]:
    """Yield the inputs of a transcript with their outputs; text before the first is left out."""
    source: list[str] = []
    printed: list[str] = []
    for line in text.splitlines():
        if line.startswith(PRIMARY) and unprompted(line).strip():
            if source:
                yield _exchange(source, printed)
            source, printed = [unprompted(line)], []
        elif line.startswith(CONTINUED) and source and not printed:
            source.append(unprompted(line))
        elif source and line.rstrip() != PRIMARY:
            printed.append(line)
    if source:
        yield _exchange(source, printed)


def _exchange(source: list[str], printed: list[str]) -> Exchange:
    return Exchange("\n".join(source) + "\n", "".join(line + "\n" for line in printed))


def inputs(text: str) -> str:
    """Return `text`, or the inputs in it if it is a transcript, as one program."""
    if not any(line.startswith(PROMPTS[0]) for line in text.splitlines()):
        return text
    return "".join(exchange.source for exchange in exchanges(text))
