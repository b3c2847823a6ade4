"""Read the basic blocks of a traced library from objdump's disassembly."""

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
    """The disassembly of one function: address and text of each instruction."""

    name: str
    start: int
    rows: list[tuple[int, str]] = field(factory=list)


@frozen
class WarpCode:
    """The blocks that report to the trace, by rising address, as arrays with one item per block.

    Attributes:
        place: Address of the block's report, its identifier in the trace.
        weight: Instructions from the block's report to the next one.
        function: Index of the block's function in `names`.
        entry: Whether the block is its function's entry.
        alone: Whether its function calls itself directly.
        names: Names of the functions.
    """

    place: np.ndarray
    weight: np.ndarray
    function: np.ndarray
    entry: np.ndarray
    alone: np.ndarray
    names: tuple[str, ...]

    def numbers(self) -> np.ndarray:
        """Return the table from a block's identifier to its index; 2**32 - 1 for other values."""
        table = np.full(int(self.place[-1]) + 1, np.uint32(0xFFFFFFFF), np.uint32)
        table[self.place] = np.arange(len(self.place), dtype=np.uint32)
        return table


def read_code(library: Path) -> WarpCode:
    """Read `library`, a host twin of the variant `traced`. Raises ToolMissing, BenchFailed."""
    text = run(["objdump", "-d", "--no-show-raw-insn", library], timeout=300).stdout
    return code_of(listings(text))


def listings(text: str) -> list[Listing]:
    """Parse the functions of objdump's disassembly."""
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
    """Collect the blocks that report to the trace. Raises BenchFailed without any."""
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
