"""Find the accesses that need a check, by forward data-flow analysis.

A check proves that some bytes at offsets from a register are legal. The fact holds while the
register keeps its value, also across calls, since legal memory does not change while an interpreter
runs. Facts are propagated along all paths through a function. One check covers all accesses of a
block through the same register.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from porter.compile.fencing.addresses import Addresses
from porter.compile.fencing.assembly import BasicBlock, Instruction, PtxFunction

# Bytes that one check covers at most. The fast path leaves out this margin at the end of the window
# (porter/run/device/fences.py).
MOST = 128


class AccessCheck(NamedTuple):
    """A check of the bytes [low, high) from `root` on, inserted before line `line`.

    `align` is the size of the largest access among them; the address must be a multiple of it.
    """

    line: int
    root: str
    low: int
    high: int
    align: int
    space: str
    stores: bool


# Facts, the bytes known to be legal: (root, space, stores) -> intervals (low, high, align).
_Facts = dict[tuple[str, str, bool], frozenset[tuple[int, int, int]]]


def checks(function: PtxFunction, addresses: Addresses) -> list[AccessCheck]:
    """Return the checks that a function needs, in the order of the text."""
    found: list[AccessCheck] = []
    before = _known(function, addresses)
    for number, block in enumerate(function.blocks):
        known = before[number]
        if known is not None:
            _walk(block, addresses, dict(known), found)
        else:  # unreachable, but nvcc kept the block
            _walk(block, addresses, {}, found)
    return found


def _known(function: PtxFunction, addresses: Addresses) -> list[_Facts | None]:
    """Return the facts before each block that hold on all paths; None for unreachable blocks."""
    before: list[_Facts | None] = [None] * len(function.blocks)
    before[0] = {}
    waiting = [0]
    while waiting:
        number = waiting.pop()
        facts = dict(before[number] or {})
        _walk(function.blocks[number], addresses, facts, [])
        for after in function.blocks[number].following:
            old = before[after]
            new = facts if old is None else _both(old, facts)
            if old is None or new != old:
                before[after] = dict(new)
                waiting.append(after)
    return before


def _both(one: _Facts, other: _Facts) -> _Facts:
    kept = {key: one[key] & other[key] for key in one.keys() & other.keys()}
    return {key: intervals for key, intervals in kept.items() if intervals}


class _Wanted(NamedTuple):
    """An access relative to the register that it goes through."""

    root: str
    low: int
    size: int
    space: str
    stores: bool


def _wanted(instruction: Instruction, addresses: Addresses) -> _Wanted | None:
    access = instruction.access
    if access is None or addresses.safe(access):
        return None
    root, offset = addresses.of(access.base)
    if root.startswith("%"):
        return _Wanted(root, offset + access.offset, access.size, access.space, access.stores)
    return _Wanted(access.base, access.offset, access.size, access.space, access.stores)


def _walk(block: BasicBlock, addresses: Addresses, facts: _Facts, found: list[AccessCheck]) -> None:
    """Add the checks of a block to `found`, and the facts that they prove to `facts`."""
    for at, instruction in enumerate(block.instructions):
        wanted = _wanted(instruction, addresses)
        if wanted is not None and not _covered(wanted, facts):
            check = _widened(block, at, wanted, addresses)
            found.append(check)
            key = (check.root, check.space, check.stores)
            facts[key] = facts.get(key, frozenset()) | {(check.low, check.high, check.align)}
        for register in instruction.writes:
            if not addresses.once(register):
                for key in [key for key in facts if key[0] == register]:
                    del facts[key]


def _covered(wanted: _Wanted, facts: _Facts) -> bool:
    for stores in (True,) if wanted.stores else (True, False):  # writable memory is readable
        for low, high, align in facts.get((wanted.root, wanted.space, stores), ()):
            inside = low <= wanted.low and wanted.low + wanted.size <= high
            if inside and wanted.size <= align and (wanted.low - low) % wanted.size == 0:
                return True
    return False


def _widened(block: BasicBlock, at: int, first: _Wanted, addresses: Addresses) -> AccessCheck:
    """Return the check of an access, widened to later accesses of its block by the same register.

    If one of them stores, the check is a store's check, which implies loads. The store would be
    checked anyway; a refused store now ends the interpreter a few instructions earlier.
    """
    line, stores = block.instructions[at].line, first.stores
    low, high, align, lead = first.low, first.low + first.size, first.size, first.low
    for other in _through(block, at, first, addresses):
        new_align = max(align, other.size)
        new_lead = other.low if other.size > align else lead
        new_low = min(low, other.low)
        new_low -= (new_low - new_lead) % new_align
        new_high = max(high, other.low + other.size)
        small = other.size if other.size < new_align else align
        if new_high - new_low <= MOST and (other.low - new_lead) % small == 0:
            low, high, align, lead = new_low, new_high, new_align, new_lead
            stores = stores or other.stores
    return AccessCheck(line, first.root, low, high, align, first.space, stores)


def _through(block: BasicBlock, at: int, first: _Wanted, addresses: Addresses) -> Iterator[_Wanted]:
    """Yield the accesses of a block from `first` on through its register, until it is written."""
    for instruction in block.instructions[at:]:
        other = _wanted(instruction, addresses)
        if other is not None and (other.root, other.space) == (first.root, first.space):
            yield other
        if first.root in instruction.writes and not addresses.once(first.root):
            return
