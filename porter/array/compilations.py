"""What an array has compiled for `exec(..., compiled=True)`: each text once."""

from __future__ import annotations

from typing import Protocol

from porter.array.code import Code, with_native
from porter.array.sources import Source, program_of
from porter.errors import InterpreterError, NotEnoughMemory, ProgramSyntaxError


class Compile(Protocol):
    """InterpreterArray.compile."""

    def __call__(self, source: bytes, name: str, *, kind: str, native: bool) -> Code:
        """See there."""


class Compilations:
    """Code with machine code, by source, name and kind, and of code by itself."""

    def __init__(self, compile: Compile) -> None:
        self._compile = compile
        self._known: dict[object, Code] = {}

    def of(self, source: Source | Code, name: str, kind: str) -> Source | Code:
        """Code of `source`, with machine code. Raises as InterpreterArray.compile does for native.

        What does not compile is `source` itself: running it says what is wrong, as ever.
        """
        if isinstance(source, Code):
            if source.native is not None:
                return source
            if source not in self._known:
                self._known[source] = with_native(source)
            return self._known[source]
        program = program_of(source, name)
        key = (program, kind)
        if key not in self._known:
            try:
                self._known[key] = self._compile(
                    program.source, program.name, kind=kind, native=True
                )
            except (ProgramSyntaxError, NotEnoughMemory, InterpreterError):
                return source
        return self._known[key]
