"""An array's cache of native code for `exec(..., compiled=...)`: each text is compiled once.

With compiled="auto" a text that takes many steps is compiled, and its launches are timed: native
code runs where it is faster. Both take nearly the same steps, so seconds per step compare launches
with different data.
"""

from __future__ import annotations

from typing import Protocol

import attrs

from porter.array.sources import Source
from porter.base.arguments import flag
from porter.compiler.decorators import asked_for
from porter.compiler.options import CompilerOptions
from porter.errors import (
    InterpreterError,
    NotEnoughMemory,
    PorterError,
    ProgramSyntaxError,
    UsageError,
)
from porter.native import Natives
from porter.native.code import Code, program_of
from porter.run.device.policies import is_measured

AUTO = "auto"
_DECORATOR = "@micropython."
HOT = 1_000_000  # steps of all interpreters in one launch from which running g++ is profitable
GAIN = 1.03  # minimum speed of native code, relative to bytecode, with which it runs


class Compile(Protocol):
    """The signature of InterpreterArray.compile."""

    def __call__(self, source: bytes, name: str, *, kind: str, native: bool) -> Code:
        """Compile source; see InterpreterArray.compile."""


class WithNative(Protocol):
    """A function that compiles bytecode to native code."""

    def __call__(self, code: Code, options: CompilerOptions | None = None) -> Code:
        """Return `code` with native code; see porter.native.code.with_native."""


@attrs.define
class Speeds:
    """Which of a text's codes the next launch runs, by the last measurement of each.

    Attributes:
        bytecode: Seconds of the device per step; None: not measured.
        native: The same of native code.
        launches: Launches that could run native code.
    """

    bytecode: float | None = None
    native: float | None = None
    launches: int = 0

    def next_is_native(self) -> bool:
        """Choose the code of the next launch."""
        self.launches += 1
        if self.native is None or self.bytecode is None:
            return True
        best = self.native * GAIN <= self.bytecode
        again = self.launches > 1 and is_measured(self.launches)
        return best != again

    def measured(self, native: bool, seconds: float) -> None:
        """Record the seconds per step of a launch."""
        if native:
            self.native = seconds
        else:
            self.bytecode = seconds


class Compilations:
    """Native code, keyed by source, name and kind, or by bytecode."""

    def __init__(self, compile: Compile, with_native: WithNative) -> None:
        self._compile, self._with_native = compile, with_native
        self._known: dict[object, Code] = {}
        self._improved: dict[Code, Code] = {}
        self._hot: dict[object, Speeds] = {}
        self._never: set[object] = set()

    def of(self, source: Source | Code, name: str, kind: str, compiled: object) -> Source | Code:
        """Return what exec() runs for `source`: the source itself, or its code with native code.

        Args:
            source: Source or code.
            name: The file name in tracebacks.
            kind: As in exec.
            compiled: As in exec.

        Raises:
            UsageError: `compiled` has an invalid value, or native code is not supported.
            WrongType: `compiled` has a wrong type.
            NoCompiler: There is no C++ compiler.
        """
        if isinstance(compiled, str):
            if compiled != AUTO:
                raise UsageError(f'compiled: {compiled!r} is not "auto", True or False')
            wanted = _asks(source) or self._gains(source, name, kind)
        elif flag(compiled, "compiled"):
            return self._made(source, name, kind)
        else:
            wanted = _asks(source)
        return self._made_if_possible(source, name, kind) if wanted else source

    def _gains(self, source: Source | Code, name: str, kind: str) -> bool:
        """Return whether the next launch of `source` runs native code for "auto"."""
        if not isinstance(source, Code | str | bytes):
            return False
        speeds = self._hot.get(_key(source, name, kind))
        return speeds is not None and speeds.next_is_native()

    def _made_if_possible(self, source: Source | Code, name: str, kind: str) -> Source | Code:
        """Return native code as _made, or `source` where native code cannot be made here."""
        key = _key(source, name, kind)
        if key not in self._never:
            try:
                return self._made(source, name, kind)
            except PorterError:  # the device runs no native code, or there is no compiler
                self._never.add(key)
        return source

    def ran(
        self, source: Source | Code, name: str, kind: str, steps: int, seconds: float, native: bool
    ) -> None:
        """Record a launch of `source`, for "auto".

        Args:
            source: Source or code.
            name: The file name in tracebacks.
            kind: As in exec.
            steps: The steps of all interpreters.
            seconds: The seconds that the launch took on the device.
            native: Whether it ran native code of the source.
        """
        if steps >= HOT and isinstance(source, Code | str | bytes):
            speeds = self._hot.setdefault(_key(source, name, kind), Speeds())
            speeds.measured(native, seconds / max(1, steps))

    def _made(self, source: Source | Code, name: str, kind: str) -> Source | Code:
        """Return code of `source` with native code, from the cache or newly made.

        Source that does not compile is returned unchanged: running it reports the error.
        """
        if isinstance(source, Code) and source.native is not None:
            return source
        key = _key(source, name, kind)
        if key not in self._known:
            try:
                self._known[key] = self._new(source, name, kind)
            except (ProgramSyntaxError, NotEnoughMemory, InterpreterError):
                return source
        return self._known[key]

    def _new(self, source: Source | Code, name: str, kind: str) -> Code:
        if isinstance(source, Code):
            return self._with_native(source)
        program = program_of(source, name)
        return self._compile(program.source, program.name, kind=kind, native=True)

    def improved(self, code: Code, natives: Natives) -> Code:
        """Recompile `code` without the speculations that often failed according to `natives`."""
        latest = self._improved.get(code, code)
        before = latest.native
        if before is not None and (without := natives.wrong(before)):
            try:
                latest = self._with_native(latest, CompilerOptions(without=without))
            except PorterError:  # the present native code remains valid
                return latest
            assert latest.native is not None
            made = attrs.evolve(latest.native, again=before.again + 1)
            latest = self._improved[code] = attrs.evolve(latest, native=made)
        return latest


def _asks(source: Source | Code) -> bool:
    """Return whether a decorator asks for native code; a substring search excludes most sources."""
    if isinstance(source, bytes) and _DECORATOR.encode() in source:
        source = source.decode("utf-8", "replace")
    return isinstance(source, str) and _DECORATOR in source and bool(asked_for(source))


def _key(source: Source | Code, name: str, kind: str) -> object:
    return source if isinstance(source, Code) else (program_of(source, name), kind)
