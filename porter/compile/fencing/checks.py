"""Writes the check of an access: fast where it is in the interpreter's own memory, else slower.

In the way of the program stands only the comparison with its own memory. What fails it goes on
behind the function's end: constants of the build, then the ranges that the launch says are legal
(porter_ranges_t of templates/runtime/porter_ranges.h). An access that is in none of them is noted
in the state, and the function returns zero as one does that unwinds (porter_unwind), so that its
interpreter ends. No check calls anything: the function's registers stay where they are, and what
was a leaf of the call graph stays one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from porter.compile.fencing.addresses import TABLE
from porter.compile.fencing.arenas import (
    CONSTANTS,
    COUNT,
    PLACE,
    RANGE,
    RANGES,
    STORES,
    UNWIND,
    UNWIND_ALL,
    WINDOW,
    Arena,
)
from porter.compile.fencing.coverage import AccessCheck

DECLARATIONS = f"""
.extern .const .align 8 .b8 {WINDOW}[24];
.extern .const .align 8 .b8 {CONSTANTS}[16];
"""
TABLE_DECLARATION = f".extern .global .align 8 .u64 {TABLE};\n"


class CheckSite(NamedTuple):
    """A check in its place. number: in its function. place: where its text begins in the unit's
    places."""

    check: AccessCheck
    number: int
    place: int


def in_the_way(site: CheckSite, arena: Arena) -> list[str]:
    """The part of a check that stands before the access."""
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
    lines += [
        f"\t@!%fenceP0 bra.uni \t$fence_{number};",
        f"$fence_{number}_back:",
        '\t.pragma "frequency 16";',
    ]
    return lines


def behind(site: CheckSite, arena: Arena) -> list[str]:
    """The part of a check that stands behind the function's end."""
    check, number = site.check, site.number
    size = check.high - check.low
    lines = [f"$fence_{number}:", '\t.pragma "frequency 1";']
    if check.root.startswith("%"):
        lines.append(f"\tadd.s64 \t%fenceA, {check.root}, {check.low};")
    else:
        lines += [
            f"\tmov.u64 \t%fenceA, {check.root};",
            f"\tadd.s64 \t%fenceA, %fenceA, {check.low};",
        ]
    lines += [
        f"\tmov.u32 \t%fencePlace, {site.place};",
        f"\tmov.u32 \t%fenceKind, {int(check.stores)};",
    ]
    if check.space == "local":
        return [*lines, "\tbra.uni \t$fence_failed;"]
    back = f"\t@%fenceP0 bra \t$fence_{number}_back;"
    other = list(arena.other(check))
    lines += [*other, back] if other else []
    if check.align > 1:
        lines += [
            f"\tand.b64 \t%fenceD0, %fenceA, {check.align - 1};",
            "\tsetp.ne.u64 \t%fenceP0, %fenceD0, 0;",
            "\t@%fenceP0 bra \t$fence_failed;",
        ]
    if not check.stores:
        lines += [
            f"\tld.const.u64 \t%fenceD0, [{CONSTANTS}];",
            f"\tld.const.u64 \t%fenceD1, [{CONSTANTS}+8];",
            *_inside("%fenceD0", "%fenceD1", size),
            back,
        ]
    found, space, state = arena.state()
    count = STORES if check.stores else COUNT
    return [
        *lines,
        *found,
        f"\tld.{space}.u32 \t%fence0, [{state}+{count}];",
        f"\tadd.u64 \t%fenceD4, {state}, {RANGES};",
        f"$fence_{number}_more:",
        "\tsetp.eq.u32 \t%fenceP0, %fence0, 0;",
        "\t@%fenceP0 bra \t$fence_failed;",
        f"\tld.{space}.u64 \t%fenceD0, [%fenceD4];",
        f"\tld.{space}.u64 \t%fenceD1, [%fenceD4+8];",
        *_inside("%fenceD0", "%fenceD1", size),
        back,
        f"\tadd.u64 \t%fenceD4, %fenceD4, {RANGE};",
        "\tsub.u32 \t%fence0, %fence0, 1;",
        f"\tbra.uni \t$fence_{number}_more;",
    ]


def _inside(low: str, length: str, size: int) -> list[str]:
    """Leaves in %fenceP0 whether `size` bytes from %fenceA on are among `length` from `low` on."""
    return [
        f"\tsub.u64 \t%fenceD2, %fenceA, {low};",
        f"\tadd.u64 \t%fenceD3, %fenceD2, {size};",
        f"\tsetp.lt.u64 \t%fenceP0, %fenceD2, {length};",
        f"\tsetp.le.and.u64 \t%fenceP0, %fenceD3, {length}, %fenceP0;",
    ]


_RETURNED = re.compile(r"\.param (?:\.align \d+ )?\.([a-z])(\d+) (func_retval\d+)(?:\[(\d+)\])?")


def ending(places: str, arena: Arena, head: str) -> list[str]:
    """Where failed checks of a function meet.

    places: the name of the unit's places. head: the function's, which says what it returns.
    """
    found, space, state = arena.state()
    return [
        "$fence_failed:",
        *found,
        f"\tmov.u64 \t%fenceD0, {places};",
        "\tcvta.global.u64 \t%fenceD0, %fenceD0;",
        "\tcvt.u64.u32 \t%fenceD1, %fencePlace;",
        "\tadd.u64 \t%fenceD0, %fenceD0, %fenceD1;",
        f"\tst.{space}.u64 \t[{state}+{PLACE}], %fenceD0;",
        f"\tst.{space}.u64 \t[{state}+{PLACE + 8}], %fenceA;",
        "\tcvt.u64.u32 \t%fenceD1, %fenceKind;",
        f"\tst.{space}.u64 \t[{state}+{PLACE + 16}], %fenceD1;",
        f"\tmov.u64 \t%fenceD1, {UNWIND_ALL};",
        f"\tst.{space}.u64 \t[{state}+{UNWIND}], %fenceD1;",
        *_zero(head),
        "\tret;",
    ]


def _zero(head: str) -> Iterator[str]:
    """Returns zero, which callers of a function that unwinds expect."""
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
