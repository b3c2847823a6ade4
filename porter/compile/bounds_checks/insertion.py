"""Insert the checks into all functions of a unit, with the source locations of failed checks.

The check of an access is a fast path inline, and a slow path behind the function.

The fast path compares the address with the interpreter's own memory. If this fails, the slow path
calls one of the unit's lookup functions (lookup.py), which knows all other legal memory. If the
access is illegal, the lookup has recorded it in the state. The function then returns zero, as a
function does that unwinds (porter_unwind), and the interpreter ends.

The PTX itself tells where arenas are: porter_runtime.h defines `porter_fence_state` in every unit
of a bounds-checked build.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from porter.compile.bounds_checks.assembly import UnreadPtx, functions
from porter.compile.bounds_checks.coverage import (
    TABLE,
    AccessCheck,
    Addresses,
    checks,
    object_sizes,
    own_constants,
)
from porter.compile.bounds_checks.lookup import (
    DECLARATIONS,
    PLACES_END,
    Arena,
    Global,
    Guess,
    Local,
    Lookup,
    in_code,
    in_constants,
    what,
)


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

    @property
    def guesses(self) -> tuple[Guess, ...]:
        """The comparisons before the lookup: with the memory that such accesses often read.

        They are part of the function, because a call costs two fetches of instructions elsewhere.
        """
        if self.check.stores:
            return ()
        if self.check.words:
            return (in_code,)
        return (in_code, in_constants) if self.asks is Lookup.BYTES else (in_constants,)


def in_the_way(site: CheckSite, arena: Arena) -> list[str]:
    """Return the fast path of a check, which precedes the access."""
    check, number = site.check, site.number
    address, distance = check.root, check.low
    lines = []
    if not check.root.startswith("%"):
        lines.append(f"\tmov.u64 \t%fenceD6, {check.root};")
        address = "%fenceD6"
    if distance and not 0 < distance <= arena.farthest:
        lines.append(f"\tadd.s64 \t%fenceD6, {address}, {distance};")
        address, distance = "%fenceD6", 0
    lines += arena.fast(check, address, distance)
    lines += [f"\t@!%fenceP0 bra \t$fence_{number};", f"$fence_{number}_back:"]
    return lines


def behind(site: CheckSite, arena: Arena) -> list[str]:
    """Return the slow path of a check, which follows the function's last instruction."""
    check, number = site.check, site.number
    if site.place >= PLACES_END:
        raise UnreadPtx(f"more places of checks than have room ({PLACES_END} bytes)")
    lines = [f"$fence_{number}:", *(arena.rarely if check.stores else ())]
    if check.root.startswith("%"):
        lines.append(f"\tadd.s64 \t%fenceA, {check.root}, {check.low};")
    else:
        lines += [
            f"\tmov.u64 \t%fenceA, {check.root};",
            f"\tadd.s64 \t%fenceA, %fenceA, {check.low};",
        ]
    word = f"\tmov.u32 \t%fence0, {what(check, site.place)};"
    if site.asks is Lookup.NOTHING:
        # It never returns, so no lanes reconverge.
        return [*lines, word, "\tbra.uni \t$fence_nothing;"]
    for guess in site.guesses:
        lines += guess(check, arena, "%fenceA")
        lines.append(f"\t@%fenceP0 bra \t$fence_{number}_back;")
    return [
        *lines,
        word,
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


_STATE = re.compile(r"^(?:\.visible )?\.global .*porter_fence_state[\w$]*(?: = (\d+))?;")
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"')
_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)")
TABLE_DECLARATION = f".extern .global .align 8 .u64 {TABLE};\n"
WINDOW = 1 << 24  # PORTER_LOCAL_WINDOW of porter_runtime.h
OBJECTS = "porter_objects_"  # prefix, before the unit's number: addresses and sizes of constants


class Places:
    """The unit's table of locations of checks in upstream's C, each text once."""

    def __init__(self, lines: list[str]) -> None:
        self._files: dict[str, str] = {}
        for line in lines:
            found = _FILE.match(line)
            if found is not None:
                self._files[found.group(1)] = found.group(2)
        self._at: dict[str, int] = {}
        self._bytes = bytearray()

    def of(self, loc: tuple[str, str] | None) -> int:
        """Return the offset of the text of a .loc."""
        text = "?" if loc is None else f"{_short(self._files.get(loc[0], '?'))}:{loc[1]}"
        if text not in self._at:
            self._at[text] = len(self._bytes)
            self._bytes += text.encode() + b"\0"
        return self._at[text]

    def declaration(self, name: str) -> str:
        """Return the PTX variable that holds the table."""
        values = ", ".join(map(str, self._bytes))
        return f".global .align 1 .b8 {name}[{len(self._bytes)}] = {{{values}}};\n"


def _short(path: str) -> str:
    """Return a path without the folders of a build and of the release, for messages."""
    return re.sub(r"^.*?(?:upstream|patched)/[^/]+/", "", path)


def fence(text: str, number: str) -> str:
    """Return the PTX of a unit with checks.

    Args:
        text: The unit's PTX.
        number: The unit's number.

    Raises:
        UnreadPtx: The PTX is in a form that the parser does not know.
    """
    lines = text.split("\n")
    state = _state(lines)
    weighs = _weighs(lines)
    arena: Arena = Local(number, weighs, state) if state else Global(number, weighs)
    window = (state, WINDOW) if state else (0, 0)
    sizes = object_sizes(lines)
    places, name = Places(lines), f"porter_places_{number}"
    changed: dict[int, list[str]] = {}
    asked: dict[Lookup, None] = {}
    first = None
    for function in functions(lines):
        addresses = Addresses(function, sizes, window)
        found = checks(function, addresses)
        if not found:
            continue
        first = function.first if first is None else first
        sites = _sites(found, function.first, lines, places)
        asked |= dict.fromkeys(site.asks for site in sites)
        for site in sites:
            changed.setdefault(site.check.line, []).extend(in_the_way(site, arena))
        changed[function.first + 1] = [arena.opening(), *changed.get(function.first + 1, [])]
        tail = [line for site in sites for line in behind(site, arena)]
        changed.setdefault(function.last, []).extend([*tail, *ending(sites, arena, function.head)])
    out: list[str] = []
    for at, line in enumerate(lines):
        if line.startswith("\t.section"):
            break  # debug sections, needed only for the locations above
        if _FILE.match(line) or _LOC.match(line):
            out += changed.get(at, [])
            continue
        out += changed.get(at, [])
        out.append(line)
        if first is not None and line.startswith(".address_size"):
            out.append(DECLARATIONS + places.declaration(name))
            if not state and not any(TABLE in other and ".extern" in other for other in lines):
                out.append(TABLE_DECLARATION)
            for lookup in asked:
                out += lookup.function(arena, name)
    return "\n".join([*out, *_objects(lines, number)])


def _objects(lines: list[str], number: str) -> list[str]:
    """Return the table of the unit's own constants with their addresses in loaded code.

    The driver chooses the address of each constant (porter/run/device/bounds_checks.py).
    """
    own = own_constants(lines)
    if not own:
        return []
    pairs = ", ".join(f"generic({name}), {size}" for name, size in own.items())
    return [
        f".visible .global .align 8 .u64 {OBJECTS}{number}[{2 * len(own)}] = {{{pairs}}};",
        "",
    ]


_VERSION = re.compile(r"^\.version\s+(\d+)\.")
WEIGHS_FROM = 9  # major version of PTX from which basic blocks may have frequencies


def _weighs(lines: list[str]) -> bool:
    """Return whether the unit's version of PTX has frequencies of basic blocks."""
    found = next(filter(None, map(_VERSION.match, lines)), None)
    return found is not None and int(found.group(1)) >= WEIGHS_FROM


def _state(lines: list[str]) -> int:
    for line in lines:
        found = _STATE.match(line)
        if found is not None:
            return int(found.group(1) or 0)
    raise UnreadPtx("the unit does not say how arenas lie (porter_fence_state)")


def _sites(
    found: list[AccessCheck], first: int, lines: list[str], places: Places
) -> list[CheckSite]:
    sites = []
    loc: tuple[str, str] | None = None
    at = first
    for number, check in enumerate(sorted(found, key=lambda check: check.line)):
        for line in lines[at : check.line + 1]:
            place = _LOC.match(line)
            if place is not None:
                loc = (place.group(1), place.group(2))
        at = check.line
        sites.append(CheckSite(check, number, places.of(loc), Lookup.of(check)))
    return sites
