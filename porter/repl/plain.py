"""Run inputs from a file or a pipe: no prompts, no echo, outputs only."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from porter.repl.shell import Shell
from porter.repl.statements import Statements, unprompted


def feed(shell: Shell, lines: Iterable[str]) -> None:
    """Run `lines` as they arrive, each statement as soon as it is complete."""
    statements = Statements(shell.prompter.continues)
    for line in lines:
        for text in statements.feed(unprompted(line.rstrip("\r\n"))):
            shell.enter(text)
        if shell.over:
            return
    for text in statements.flush():
        shell.enter(text)


def read_lines(file: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines of a binary `file`. Bytes that are not UTF-8 are kept (see `utf8`)."""
    for number, line in enumerate(file):
        mark = codecs.BOM_UTF8 if number == 0 else b""
        yield line.removeprefix(mark).decode("utf-8", "surrogateescape")
