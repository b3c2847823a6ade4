"""What an array has compiled for `exec(..., compiled=True)`: each text once."""

from __future__ import annotations

from typing import Protocol

import attrs

from porter.array.code import Code
from porter.array.sources import Source, program_of
from porter.compiler.options import CompilerOptions
from porter.errors import InterpreterError, NotEnoughMemory, ProgramSyntaxError
from porter.native import Natives


class Compile(Protocol):
    """InterpreterArray.compile."""

    def __call__(self, source: bytes, name: str, *, kind: str, native: bool) -> Code:
        """See there."""


class WithNative(Protocol):
    """What gives code its machine code."""

    def __call__(self, code: Code, options: CompilerOptions | None = None) -> Code:
        """See porter.array.code.with_native."""


class Compilations:
    """Code with machine code, by source, name and kind, and of code by itself."""

    def __init__(self, compile: Compile, with_native: WithNative) -> None:
        self._compile, self._with_native = compile, with_native
        self._known: dict[object, Code] = {}
        self._improved: dict[Code, Code] = {}

    def of(self, source: Source | Code, name: str, kind: str) -> Source | Code:
        """Code of `source`, with machine code. Raises as InterpreterArray.compile does for native.

        What does not compile is `source` itself: running it says what is wrong, as ever.
        """
        if isinstance(source, Code):
            if source.native is not None:
                return source
            if source not in self._known:
                self._known[source] = self._with_native(source)
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

    def improved(self, code: Code, natives: Natives) -> Code:
        """`code` with machine code that guesses no more what was often wrong, after `natives`."""
        latest = self._improved.get(code, code)
        before = latest.native
        if before is not None and (without := natives.wrong(before)):
            latest = self._with_native(latest, CompilerOptions(without=without))
            assert latest.native is not None
            made = attrs.evolve(latest.native, again=before.again + 1)
            latest = self._improved[code] = attrs.evolve(latest, native=made)
        return latest
