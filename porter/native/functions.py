"""List a program's functions for reports, and mark in type feedback the functions to compile."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from porter.compiler.cxx import title_of
from porter.compiler.mpy import BytecodeFunction, BytecodeModule
from porter.compiler.options import SEEN_OTHER

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
        hints: Type feedback of the profiling run; empty if there is none.
        module: The module.
        size: Bytes of the code.

    Returns:
        Type feedback for `CompilerOptions.hints`; empty if there is none and all functions are to
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
