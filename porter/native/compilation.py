"""Turn bytecode into loaded native code: profile, translate, compile, cache and load.

`make` is the interface for arrays; `make_for` serves callers that have a `NativeTarget` already.
`mark_functions` chooses the functions to compile, `rows_of` lists functions for reports.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import attrs
from attrs import field, frozen

from porter.base import markup
from porter.base.deprecated import renamed_arguments
from porter.base.fingerprint import content_digest
from porter.compiler.cxx import compile_module, title_of
from porter.compiler.mpy import BytecodeFunction, BytecodeModule, read_module
from porter.compiler.options import SEEN_OTHER, CompilerOptions, GuardPlace
from porter.compiler.stored import SYMBOL
from porter.errors import LaunchFailed
from porter.native.cache import CacheEntry, entry_of, forget
from porter.native.module import NativeModule, entry_table
from porter.native.profiling_run import ProfilingRun
from porter.native.report import NativeFunction
from porter.native.target import NativeTarget, target_of
from porter.run import Device

HEAD = 12  # bytes before the .mpy file in code: code_head_t of templates/port/code.c


@renamed_arguments(trial="profiling_run")
def make(
    device: Device,
    code: bytes,
    source: bytes,
    name: str,
    profiling_run: ProfilingRun | None = None,
    options: CompilerOptions | None = None,
) -> NativeModule:
    """Return the native code of bytecode, compiled or from the cache.

    Args:
        device: The device that will run the native code.
        code: The bytecode, as `InterpreterArray.compile` returns it.
        source: The Python source.
        name: Name of the source, for reports.
        profiling_run: Profiling run that collects type feedback, if `options` have none.
        options: Options of the translator; None for the defaults.

    Returns:
        The module. Its `entries` are empty if no function gains by native code.

    Raises:
        UsageError: The device runs no native code, or was opened without this program.
        NoCompiler: There is no usable g++.
        BuildFailed: The C++ does not compile.
    """
    if device.linked is not None:
        module: NativeModule = device.linked.module_of(code)
        return module
    return make_for(target_of(device), code, source, name, profiling_run, options)


@renamed_arguments(trial="profiling_run")
def make_for(
    target: NativeTarget,
    code: bytes,
    source: bytes,
    name: str,
    profiling_run: ProfilingRun | None = None,
    options: CompilerOptions | None = None,
) -> NativeModule:
    """Return the native code of bytecode for a target; see `make`."""
    options = (options or CompilerOptions()).on(target.enter)
    making = _Maker(target, code, source, name, profiling_run, options)
    try:
        return making.module()
    except LaunchFailed:
        forget(making.key)  # the machine has changed in a way that the key does not include
        return making.module()


class _NothingGains(Exception):
    """No function of a program is profitable to compile."""


@frozen
class _Maker:
    """The steps from `code` to native code for `target`. seconds: filled in, by step."""

    target: NativeTarget
    code: bytes
    source: bytes
    name: str
    profiling_run: ProfilingRun | None
    options: CompilerOptions
    seconds: dict[str, float] = field(factory=dict)

    @property
    def key(self) -> str:
        """Cache key: a digest of everything that the native code depends on."""
        chosen = self.options
        run = self.profiling_run.key if self.profiling_run is not None else ""
        without = sorted(chosen.without)
        values = [*self.target.identity, _translator(), chosen.force, chosen.enter, without, run]
        digest = hashlib.sha256(json.dumps(values).encode())
        for part in (chosen.hints, self.code):
            digest.update(b"%d " % len(part) + part)
        return digest.hexdigest()

    def module(self) -> NativeModule:
        """Return the module. Raises LaunchFailed if the native code does not load."""
        functions: list[Any] = []
        try:
            with entry_of(self.key, self.target.suffix, self._writer(functions)) as entry:
                return self._loaded(entry)
        except _NothingGains:
            return self._module(functions)

    def _writer(self, functions: list[Any]) -> Callable[[Path, Path], Mapping[str, Any]]:
        def write(text: Path, machine: Path) -> Mapping[str, Any]:
            options, lines = self.options, lines_of(self.source)
            if self.profiling_run is not None and not options.hints:
                with self._step("profile"):
                    options = attrs.evolve(options, hints=self.profiling_run.seen())
            with self._step("translate"):
                tables = self.target.tables
                module = read_module(self.code, HEAD, tables)
                hints = mark_functions(options.hints, module, len(self.code))
                options = attrs.evolve(options, hints=hints)
                made = compile_module(module, tables, lines, symbol=SYMBOL, options=options)
                functions[:] = rows_of(module, sorted(at for at, _ in made.entries), lines)
            if not made.entries:
                raise _NothingGains
            with self._step("compile"):
                text.write_text(made.text, encoding="utf-8")
                self.target.build(text, machine)
            return {"entries": made.entries, "functions": functions, "guards": made.guards}

        return write

    def _loaded(self, entry: CacheEntry) -> NativeModule:
        record = entry.record
        with self._step("load"):
            run, keep = self.target.load(entry.machine, SYMBOL)
        return self._module(
            record["functions"],
            guards=tuple(GuardPlace(*row) for row in record["guards"]),
            text=entry.text.read_text(encoding="utf-8"),
            path=entry.text if entry.kept else None,
            entries=entry_table(record["entries"], len(self.code)),
            run=run,
            cached=entry.cached,
            keep=keep,
        )

    def _module(self, functions: Sequence[Any], **loaded: Any) -> NativeModule:
        each = tuple(NativeFunction(self.name, *row) for row in functions)
        return NativeModule(self.name, lines_of(self.source), each, seconds=self.seconds, **loaded)

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.seconds[name] = time.monotonic() - began


@cache
def _translator() -> str:
    """Return a digest of the sources of porter/native and porter/compiler."""
    here = Path(__file__).resolve().parent
    return content_digest([here, here.parent / "compiler"], "__pycache__".__eq__)


MOST_CODE = 16 << 10  # maximum bytes of bytecode to compile: g++ takes seconds for these


def rows_of(
    module: BytecodeModule, entries: Sequence[int], lines: Sequence[str]
) -> list[tuple[str, int, int]]:
    """Return each function's name, the line at which its code begins, and its number of entries.

    Args:
        module: The module.
        entries: Positions of entries in the bytecode, ascending.
        lines: Lines of the Python source.
    """
    rows = []
    for number, function in enumerate(module.functions):
        span = _span(function)
        inside = bisect_left(entries, span.stop) - bisect_left(entries, span.start)
        line = min(function.lines.values(), default=1)
        rows.append((title_of(module, function, number, lines), line, inside))
    return rows


def mark_functions(hints: bytes, module: BytecodeModule, size: int) -> bytes:
    """Return type feedback in which each function to compile has at least one bit set.

    Functions that the profiling run executed come first. Other functions follow, because the run is
    short and later launches may call them. All functions together have at most MOST_CODE bytes.

    Args:
        hints: Type feedback of the profiling run; empty without a run.
        module: The module.
        size: Bytes of the code.

    Returns:
        Type feedback for `CompilerOptions.hints`; empty without a run if all functions are to
        be compiled.
    """
    spans = [_span(function) for function in module.functions]
    if not hints and sum(len(span) for span in spans) <= MOST_CODE:
        return b""  # no feedback: all functions are compiled
    seen = bytearray(hints or bytes(size))
    marked = bytearray(size)
    left = MOST_CODE
    for span in sorted(spans, key=lambda span: not any(seen[span.start : span.stop])):
        left -= len(span)
        if span and left >= 0:
            inside = slice(span.start, span.stop)
            marked[inside] = seen[inside]
            # The stack is empty before the first instruction, so the bit has no other meaning.
            marked[span.start] |= SEEN_OTHER
    return bytes(marked)


def _span(function: BytecodeFunction) -> range:
    """Return the positions of a function's instructions in the code."""
    end = max((each.next for each in function.code), default=0)
    return range(function.start, function.start + end)


_NEWLINE = re.compile(r"\r\n|\r|\n")  # as upstream's reader counts lines


def lines_of(source: bytes) -> Sequence[str]:
    """Return the lines of `source`, each safe behind `//`.

    Unprintable characters are escaped. No line ends with a backslash, which would continue the
    comment in the next line.
    """
    lines = _NEWLINE.split(source.decode("utf-8", "backslashreplace"))
    return [markup.visible(line).rstrip(" \t\\") for line in lines]
