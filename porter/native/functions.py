"""Functions of a program: what is said of them, and what is known of those that did not run."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from porter.compiler.cxx import title_of
from porter.compiler.mpy import BytecodeFunction, BytecodeModule
from porter.compiler.options import SEEN_OTHER

MOST_CODE = 16 << 10  # bytes of bytecode that become machine code: g++ takes seconds for so much


def rows_of(
    module: BytecodeModule, entries: Sequence[int], lines: Sequence[str]
) -> list[tuple[str, int, int]]:
    """Of each function its name, the line at which its code begins, and how many entries it has.

    entries: where they are in the bytecode, rising. lines: of the source.
    """
    rows = []
    for number, function in enumerate(module.functions):
        span = _span(function)
        inside = bisect_left(entries, span.stop) - bisect_left(entries, span.start)
        line = min(function.lines.values(), default=1)
        rows.append((title_of(module, function, number, lines), line, inside))
    return rows


def mark_functions(hints: bytes, module: BytecodeModule, size: int) -> bytes:
    """`hints` in which each function to be compiled is marked, of code of `size` bytes.

    Functions that were not seen are too, for a trial is short and who compiles a program may call
    what it defines later; in all no more than MOST_CODE, what was seen first.
    """
    spans = [_span(function) for function in module.functions]
    if not hints and sum(len(span) for span in spans) <= MOST_CODE:
        return b""  # nothing is known, and all is compiled
    seen = bytearray(hints or bytes(size))
    marked = bytearray(size)
    left = MOST_CODE
    for span in sorted(spans, key=lambda span: not any(seen[span.start : span.stop])):
        left -= len(span)
        if span and left >= 0:
            inside = slice(span.start, span.stop)
            marked[inside] = seen[inside]
            # Nothing is on the stack before the first instruction, so that says nothing else.
            marked[span.start] |= SEEN_OTHER
    return bytes(marked)


def _span(function: BytecodeFunction) -> range:
    """Where the code of `function` is."""
    end = max((each.next for each in function.code), default=0)
    return range(function.start, function.start + end)
