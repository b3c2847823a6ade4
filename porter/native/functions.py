"""Functions of a program: what is said of them, and what is known of those that did not run."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from porter.compiler.cxx import title_of
from porter.compiler.mpy import Module
from porter.compiler.options import SEEN_OTHER


def rows_of(
    module: Module, entries: Sequence[int], lines: Sequence[str]
) -> list[tuple[str, int, int]]:
    """Of each function its name, the line at which its code begins, and how many entries it has.

    entries: where they are in the bytecode, rising. lines: of the source.
    """
    rows = []
    for number, function in enumerate(module.functions):
        end = function.start + max((each.next for each in function.code), default=0)
        inside = bisect_left(entries, end) - bisect_left(entries, function.start)
        line = min(function.lines.values(), default=1)
        rows.append((title_of(module, function, number, lines), line, inside))
    return rows


def unseen_too(hints: bytes, module: Module) -> bytes:
    """`hints` where functions that were not seen are no reason to leave them as they are.

    A trial is short, and who compiles a program may call what it defines later.
    """
    marked = bytearray(hints)
    for function in module.functions if hints else ():
        start = function.start
        size = max((each.next for each in function.code), default=0)
        if size and not any(marked[start : start + size]):
            # Nothing is on the stack before the first instruction, so that says nothing else.
            marked[start] = SEEN_OTHER
    return bytes(marked)
