"""The basic blocks of a traced library, read from its machine code by objdump."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from attrs import define, field, frozen

from porter.base.process import run
from porter.errors import BenchFailed

_HOOK = "__sanitizer_cov_trace_pc"
_FUNCTION = re.compile(r"^([0-9a-f]+) <([^>]+)>:$")
_CALL = re.compile(r"^call +([0-9a-f]+) <([^>]+)>")


@define
class Listing:
    """One function: its instructions' addresses and texts."""

    name: str
    start: int
    rows: list[tuple[int, str]] = field(factory=list)


@frozen
class WarpCode:
    """All blocks that report, by rising address, as arrays of one item each.

    place: what the trace calls the block. weight: instructions from its report to the next one.
    function: index in `names`. entry: whether its function begins with it. alone: whether
    its function calls itself.
    """

    place: np.ndarray
    weight: np.ndarray
    function: np.ndarray
    entry: np.ndarray
    alone: np.ndarray
    names: tuple[str, ...]

    def numbers(self) -> np.ndarray:
        """From what the trace calls a block to its index here; 2**32 - 1 for what is none."""
        table = np.full(int(self.place[-1]) + 1, np.uint32(0xFFFFFFFF), np.uint32)
        table[self.place] = np.arange(len(self.place), dtype=np.uint32)
        return table


def read_code(library: Path) -> WarpCode:
    """Read `library`, a host twin of the variant `traced`. Raises ToolMissing, BenchFailed."""
    text = run(["objdump", "-d", "--no-show-raw-insn", library], timeout=300).stdout
    return code_of(listings(text))


def listings(text: str) -> list[Listing]:
    """The functions of objdump's listing."""
    found: list[Listing] = []
    for line in text.splitlines():
        if head := _FUNCTION.match(line):
            found.append(Listing(head[2], int(head[1], 16)))
            continue
        address, tab, instruction = line.partition(":\t")
        if tab and found:
            found[-1].rows.append((int(address, 16), instruction))
    return found


def code_of(functions: list[Listing]) -> WarpCode:
    """What the simulation needs of each block. Raises BenchFailed where none reports."""
    rows: list[tuple[int, int, int, int]] = []
    names: list[str] = []
    alone: list[bool] = []
    for listing in functions:
        first = len(rows)
        itself = False
        for i, (_, instruction) in enumerate(listing.rows):
            call = _CALL.match(instruction)
            if call and call[2].startswith(_HOOK) and i + 1 < len(listing.rows):
                rows.append((listing.rows[i + 1][0], 0, len(names), int(len(rows) == first)))
            elif len(rows) > first:
                place, weight, function, entry = rows[-1]
                rows[-1] = (place, weight + 1, function, entry)
            itself |= call is not None and int(call[1], 16) == listing.start
        if len(rows) > first:
            names.append(listing.name)
            alone.append(itself)
    if not rows:
        raise BenchFailed("the library reports no blocks: it is not of the variant `traced`")
    table = np.array(sorted(rows), np.int64)
    return WarpCode(
        place=table[:, 0].astype(np.uint32),
        weight=np.maximum(table[:, 1], 1).astype(np.uint32),
        function=table[:, 2].astype(np.int32),
        entry=table[:, 3].astype(np.uint8),
        alone=np.array(alone, np.uint8)[table[:, 2]],
        names=tuple(names),
    )
