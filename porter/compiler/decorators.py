"""Which functions of a source ask for machine code: `@micropython.native`, `@micropython.viper`.

On the device both mean a function of bytecode, so the bytecode does not tell; the source does.
"""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator

from attrs import define, field, frozen

_MODULE = "micropython"
_KINDS = {"native": "native", "viper": "viper", "bytecode": ""}
_LAYOUT = (tokenize.NL, tokenize.COMMENT)
_MADE = "<"  # <lambda>, <listcomp> and their like: what has such a name is part of what it is in
_WHOLE = "<module>"


@frozen
class Decorated:
    """A `def` or `class`: its name, lines from that word to its last, and what it asks for.

    kind: "native", "viper", or "" for bytecode. As upstream's compiler has it, the last of several
    such decorators counts, and what is inside inherits.
    """

    name: str
    line: int
    end: int
    kind: str


def asked_for(source: str) -> tuple[Decorated, ...]:
    """What in `source` asks for machine code, itself or by what it is in, in the order of lines.

    Nothing is executed. What stands behind a place that Python's tokenizer refuses is left out:
    such a source compiles nowhere, but for numbers like 007.
    """
    found = [each for each in _scan(source) if each.kind]
    return tuple(sorted(found, key=lambda each: each.line))


def kind_of(found: tuple[Decorated, ...], name: str, line: int) -> str:
    """What the function `name` asks for whose code is in `line`, for one.

    name, line: as bytecode has them (Function of mpy.py). found: from asked_for.
    """
    if name == _WHOLE:
        return ""
    inside = [each for each in found if each.line <= line <= each.end]
    if not name.startswith(_MADE):
        inside = [each for each in inside if each.name == name]
    return max(inside, key=lambda each: each.line).kind if inside else ""


@define
class _Open:
    """What is open while tokens are read. depth: blocks around it."""

    name: str
    line: int
    depth: int
    kind: str


@define
class _Scanner:
    open: list[_Open] = field(factory=list)
    depth: int = 0
    decorated: str | None = None  # by the decorators that were just read

    def statement(self, words: list[str], line: int) -> None:
        """A logical line: the texts of its first tokens."""
        if words[:1] == ["@"]:
            if words[1:3] == [_MODULE, "."]:
                self.decorated = _KINDS.get(words[3] if len(words) > 3 else "", self.decorated)
            return
        if words[:1] == ["async"]:
            words = words[1:]
        if words[:1] in (["def"], ["class"]) and len(words) > 1:
            inherited = self.open[-1].kind if self.open else ""
            kind = inherited if self.decorated is None else self.decorated
            self.open.append(_Open(words[1], line, self.depth, kind))
        self.decorated = None

    def close(self, last: int) -> Iterator[Decorated]:
        """What ended in the line `last`: its block did, or it never had one."""
        while self.open and self.depth <= self.open[-1].depth:
            each = self.open.pop()
            yield Decorated(each.name, each.line, last, each.kind)


def _scan(source: str) -> Iterator[Decorated]:
    scanner = _Scanner()
    words: list[str] = []
    began = last = 1
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type in _LAYOUT:
                continue
            if token.type == tokenize.INDENT:
                scanner.depth += 1
            elif token.type == tokenize.DEDENT:
                scanner.depth -= 1
            elif token.type == tokenize.NEWLINE:
                scanner.statement(words, began)
                words, last = [], token.start[0]
            else:
                if not words:  # a block that follows has opened by now
                    yield from scanner.close(last)
                    began = token.start[0]
                words.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        last = max(last, source.count("\n") + 1)
    scanner.depth = 0
    yield from scanner.close(last)
