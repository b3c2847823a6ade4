"""Write the check of an access: a fast path inline, and a slow path behind the function.

The fast path compares the address with the interpreter's own memory. If this fails, the slow path
calls one of the unit's lookup functions (lookup.py), which knows all other legal memory. If the
access is illegal, the lookup has recorded it in the state. The function then returns zero, as a
function does that unwinds (porter_unwind), and the interpreter ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from porter.compile.fencing.arenas import Arena
from porter.compile.fencing.assembly import UnreadPtx
from porter.compile.fencing.coverage import AccessCheck
from porter.compile.fencing.lookup import PLACES_END, Lookup, what


class CheckSite(NamedTuple):
    """A check at its place in a function.

    Attributes:
        check: The check.
        number: Its number in the function.
        place: The offset of its source location in the unit's table of locations.
        asks: The lookup for accesses outside the interpreter's own memory.
    """

    check: AccessCheck
    number: int
    place: int
    asks: Lookup


def in_the_way(site: CheckSite, arena: Arena) -> list[str]:
    """Return the fast path of a check, which precedes the access."""
    check, number = site.check, site.number
    address = check.root
    lines = []
    if not check.root.startswith("%"):
        lines.append(f"\tmov.u64 \t%fenceD6, {check.root};")
        address = "%fenceD6"
    if check.low:
        lines.append(f"\tadd.s64 \t%fenceD6, {address}, {check.low};")
        address = "%fenceD6"
    lines += arena.fast(check, address)
    lines += [f"\t@!%fenceP0 bra \t$fence_{number};", f"$fence_{number}_back:"]
    return lines


def behind(site: CheckSite, arena: Arena) -> list[str]:
    """Return the slow path of a check, which follows the function's last instruction."""
    check, number = site.check, site.number
    if site.place >= PLACES_END:
        raise UnreadPtx(f"more places of checks than have room ({PLACES_END} bytes)")
    lines = [f"$fence_{number}:"]
    if check.root.startswith("%"):
        lines.append(f"\tadd.s64 \t%fenceA, {check.root}, {check.low};")
    else:
        lines += [
            f"\tmov.u64 \t%fenceA, {check.root};",
            f"\tadd.s64 \t%fenceA, %fenceA, {check.low};",
        ]
    lines.append(f"\tmov.u32 \t%fence0, {what(check, site.place)};")
    if site.asks is Lookup.NOTHING:
        return [*lines, "\tbra.uni \t$fence_nothing;"]  # never returns, so no lanes reconverge
    return [
        *lines,
        *site.asks.call(arena, "%fenceA", "%fence0", "%fence1"),
        "\tsetp.ne.u32 \t%fenceP0, %fence1, 0;",
        f"\t@%fenceP0 bra \t$fence_{number}_back;",
        "\tbra.uni \t$fence_failed;",
    ]


_RETURNED = re.compile(r"\.param (?:\.align \d+ )?\.([a-z])(\d+) (func_retval\d+)(?:\[(\d+)\])?")


def ending(sites: list[CheckSite], arena: Arena, head: str) -> list[str]:
    """Return the common end of a function's failed checks; `head` declares the return value."""
    nothing = []
    if any(site.asks is Lookup.NOTHING for site in sites):
        note = Lookup.NOTHING.call(arena, "%fenceA", "%fence0", "%fence1")
        nothing = ["$fence_nothing:", *note]
    return [*nothing, "$fence_failed:", *_zero(head), "\tret;"]


def _zero(head: str) -> Iterator[str]:
    """Yield code that returns zero, as the callers of an unwinding function expect."""
    for kind, bits, name, count in _RETURNED.findall(head):
        if kind == "f":
            zero = "0f00000000" if bits == "32" else "0d0000000000000000"
            yield f"\tmov.f{bits} \t%fenceF{bits}, {zero};"
            yield f"\tst.param.f{bits} \t[{name}+0], %fenceF{bits};"
            continue
        yield "\tmov.u64 \t%fenceD0, 0;"
        yield "\tcvt.u32.u64 \t%fence0, %fenceD0;"
        size = int(bits) // 8 * int(count or 1)
        for at in range(0, size - size % 8, 8):
            yield f"\tst.param.b64 \t[{name}+{at}], %fenceD0;"
        left = size % 8
        if left in (1, 4):
            yield f"\tst.param.b{left * 8} \t[{name}+{size - left}], %fence0;"
        elif left:
            for at in range(size - left, size):
                yield f"\tst.param.b8 \t[{name}+{at}], %fence0;"
