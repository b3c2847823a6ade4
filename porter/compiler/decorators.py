"""Find definitions decorated with `@micropython.native` or `@micropython.viper` in Python source.

On the device both decorators compile to ordinary bytecode, so bytecode does not show them. This
module scans the source with CPython's tokenizer and executes nothing. `porter/array/` asks it
whether a source requests native code.
"""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator

from attrs import define, field, frozen

_MODULE = "micropython"
_KINDS = {"native": "native", "viper": "viper", "bytecode": ""}
_LAYOUT = (tokenize.NL, tokenize.COMMENT)
_MADE = "<"  # <lambda>, <listcomp> and the like inherit from the definition that encloses them
_WHOLE = "<module>"


@frozen
class Decorated:
    """A `def` or `class` and the kind of code that it requests.

    As in upstream's compiler, the last of several such decorators counts, and nested definitions
    inherit it.

    Attributes:
        name: Name of the function or class.
        line: Line of the keyword `def` or `class`.
        end: Last line of the definition.
        kind: "native", "viper", or "" for bytecode.
    """

    name: str
    line: int
    end: int
    kind: str


def asked_for(source: str) -> tuple[Decorated, ...]:
    """Return the definitions in `source` that request native code, in the order of lines.

    Definitions inside a decorated one are included. Definitions after a token that CPython's
    tokenizer rejects are left out. The device's compiler rejects such a source as well, except for
    integers like 007.
    """
    found = [each for each in _scan(source) if each.kind]
    return tuple(sorted(found, key=lambda each: each.line))


def kind_of(found: tuple[Decorated, ...], name: str, line: int) -> str:
    """Return the kind of code that a compiled function requests, as `Decorated.kind`.

    Args:
        found: The definitions returned by `asked_for`.
        name: The function's name in bytecode (`BytecodeFunction` of mpy.py).
        line: A line of the function's code.
    """
    if name == _WHOLE:
        return ""
    inside = [each for each in found if each.line <= line <= each.end]
    if not name.startswith(_MADE):
        inside = [each for each in inside if each.name == name]
    return max(inside, key=lambda each: each.line).kind if inside else ""


@define
class _Open:
    """A definition whose end is not yet read. depth: number of enclosing blocks."""

    name: str
    line: int
    depth: int
    kind: str


@define
class _Scanner:
    open: list[_Open] = field(factory=list)
    depth: int = 0
    decorated: str | None = None  # kind set by the decorators just read

    def statement(self, words: list[str], line: int) -> None:
        """Read a logical line, given the texts of its tokens."""
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
        """Yield the definitions that end in the line `last`, with a block or without one."""
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
                if not words:  # INDENT of a following block has been read by now
                    yield from scanner.close(last)
                    began = token.start[0]
                words.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        last = max(last, source.count("\n") + 1)
    scanner.depth = 0
    yield from scanner.close(last)
