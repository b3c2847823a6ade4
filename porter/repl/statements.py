"""Where statements begin and end in what a user types, pipes or pastes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import dropwhile

from attrs import define, field

Continues = Callable[[str], bool]  # Prompter.continues: MicroPython's own rule

PROMPTS = (">>> ", "... ")
_CLAUSE = re.compile(r"(elif|else|except|finally)\b")  # goes on with the statement before it


def unprompted(line: str) -> str:
    """`line` without the prompt that a transcript shows before it."""
    if line in (">>>", "..."):
        return ""
    return line[4:] if line.startswith(PROMPTS) else line


@define
class Statements:
    """Lines in, statements out, one line at a time: a blank line ends a block.

    Beyond MicroPython's prompt, an unindented line that cannot belong to the open block ends it
    too, so that the paper's figures and most scripts can be piped as they are.
    """

    continues: Continues
    _lines: list[str] = field(factory=list)

    @property
    def open(self) -> bool:
        """Whether a statement has begun and needs more lines."""
        return bool(self._lines)

    def feed(self, line: str) -> Iterator[str]:
        """The statements that `line` (without its newline) ends: none, one or two.

        A line that begins with % is one by itself.
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
        """The statement that is open, if one is, as it stands."""
        lines, self._lines = self._lines, []
        if lines:
            yield "\n".join(lines) + "\n"

    def _could_end(self) -> bool:
        if _decorated(self._lines):
            return False
        return not self.continues("\n".join(self._lines) + "\n")


def split(text: str, continues: Continues) -> Iterator[str]:
    """The statements of a piece of program, in which blocks may have blank lines.

    A statement begins at an unindented line, unless brackets or quotes are open there.
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
    # MicroPython takes a comment before an interactive statement for an empty statement.
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
    """Whether all lines so far are decorators, so that what they decorate must follow."""
    return all(line.startswith("@") or not line.strip() for line in lines)
