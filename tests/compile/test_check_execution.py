"""Execute the bounds checks of device code: they accept exactly the legal accesses."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from porter.compile.bounds_checks import lookup
from porter.compile.bounds_checks.insertion import fence
from porter.run.device.bounds_checks import MARGIN, WINDOW
from tests.compile.ptx_machine import Done, Machine
from tests.compile.test_check_insertion import GLOBAL, LOCAL, STATE, unit

NUMBER = "01234567"
BASE = 0x7FAA_7300_0000  # base of the thread's window, a multiple of its size
USED = 0x21000  # bytes in use, at the window's end
ARENA = 0x7F55_0000_0400, 0x8000  # in global memory: address, bytes
GLOBAL_STATE = 0x7F55_0000_6000
TABLE_AT, ROWS_AT, PLACES_AT = 0x7F11_0000_0000, 0x7F11_0000_0800, 0x7F11_0000_1000
CONSTANTS = 0x7F99_0000_0100, 0x5000
READS = ((0x7F77_0000_0010, 0x333), (0x7F77_0000_1001, 9), (0x7F77_0000_2000, 8))
STALE = 0x7F77_0000_4000, 0x40  # range of an earlier launch, after the table's end
WRITES = ((0x7F77_0000_3000, 0x40), (0x7F77_0000_3044, 7), (2**64 - 0x100, 0x80))
OF = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "v2.u64"}
REGISTER = {1: "%rs1", 2: "%rs1", 4: "%r1", 8: "%rd3", 16: "{%rd3, %rd4}"}


class Wanted(NamedTuple):
    """An access `[pointer+low]`, and if `more` is not 0 a byte `more` bytes after its start.

    With `rounded`, the pointer is rounded down to a word, as the VM does to load bytecode.
    """

    size: int
    stores: bool
    space: str
    low: int
    more: int
    rounded: bool = False

    def body(self) -> str:
        """Return the body of a function with this access."""
        pointer, lines = "%rd1", ["mov.u16 %rs1, 0;", "mov.u32 %r1, 0;", "mov.u64 %rd3, 0;"]
        lines.append("mov.u64 %rd4, 0;")
        if self.rounded:
            pointer = "%rd6"
            lines.append("and.b64 %rd6, %rd1, -8;")
        space = ""
        if self.space:
            space, given, pointer = f".{self.space}", pointer, "%rd5"
            lines.append(f"cvta.to.{self.space}.u64 %rd5, {given};")
        for size, at in ((self.size, self.low), *([(1, self.low + self.more)] * bool(self.more))):
            place = f"[{pointer}+{at}]"
            lines.append(
                f"st{space}.{OF[size]} {place}, {REGISTER[size]};"
                if self.stores
                else f"ld{space}.{OF[size]} {REGISTER[size]}, {place};"
            )
        return "; ".join(lines)


def inside(address: int, size: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    """Return whether one of the ranges contains all bytes."""
    return any(low <= address and address + size <= low + bytes_ for low, bytes_ in ranges)


def legal(wanted: Wanted, address: int, local: bool) -> bool:
    """Return whether an access is legal by the documentation; address: of its first byte."""
    size = max(wanted.size, wanted.more + 1)
    if address % wanted.size:
        return False
    window = ((BASE + WINDOW - USED, USED - MARGIN + size - wanted.size),)
    in_window = inside(address, size, window) and address < BASE + WINDOW - MARGIN
    assert not in_window or address + size <= BASE + WINDOW
    state, arena = (BASE + STATE, window) if local else (GLOBAL_STATE, (ARENA,))
    sealed_to = lookup.SEALED_TO_LOCAL if local else lookup.SEALED_TO
    sealed = state + lookup.SEALED_FROM < address + size and address < state + sealed_to
    own = in_window if local else inside(address, size, arena)
    if wanted.space == "local":
        return in_window and not (local and wanted.stores and sealed)
    if wanted.space == "global" and local:
        own = False
    if own and not (wanted.stores and sealed):
        return True
    if not local and wanted.space == "" and in_window:
        return True
    lent = WRITES if wanted.stores else (CONSTANTS, *READS, *WRITES)
    return inside(address, size, lent)


def machine(wanted: Wanted, local: bool) -> Machine:
    """Return a PTX machine for a thread with all ranges above."""
    text = fence(unit(wanted.body(), arena=LOCAL if local else GLOBAL), NUMBER)
    spans = [(USED - MARGIN) >> shift for shift in range(5)]
    made = Machine(
        text,
        {
            lookup.WINDOW: b"".join(v.to_bytes(4, "little") for v in (WINDOW - USED, *spans)),
            lookup.CONSTANTS: b"".join(v.to_bytes(8, "little") for v in CONSTANTS)
            + b"".join(((CONSTANTS[1] - MARGIN) >> k).to_bytes(4, "little") for k in range(5)),
        },
        {f"porter_places_{NUMBER}": PLACES_AT, "porter_state_table": TABLE_AT},
        BASE,
        frozenset({"f"}),
    )
    space, state = ("local", STATE) if local else ("global", GLOBAL_STATE)
    made.put(space, state, 0, lookup.UNWIND + 8)
    made.put(space, state + lookup.READS, len(READS), 4)
    made.put(space, state + lookup.COUNT, len(READS) + len(WRITES), 4)
    made.put(space, state + lookup.ARENA, ARENA[0], 8)
    made.put(space, state + lookup.ARENA + 8, ARENA[1], 8)
    for k, (low, size) in enumerate((*READS, *WRITES, STALE)):
        at = state + lookup.RANGES + k * lookup.RANGE
        made.put(space, at, low, 8)
        made.put(space, at + 8, size, 8)
    if not local:
        made.put("global", TABLE_AT, ROWS_AT, 8)
        made.put("global", ROWS_AT, GLOBAL_STATE, 8)
    return made


EDGES = [
    edge
    for low, size in (
        (BASE, WINDOW),
        (BASE + WINDOW - USED, USED - MARGIN),
        (BASE + STATE + lookup.SEALED_FROM, lookup.SEALED_TO_LOCAL - lookup.SEALED_FROM),
        ARENA,
        (GLOBAL_STATE + lookup.SEALED_FROM, lookup.SEALED_TO - lookup.SEALED_FROM),
        (0, 1 << 32),
        CONSTANTS,
        *READS,
        *WRITES,
        STALE,
    )
    for edge in (low, low + size)
]
# Functions with reads, for arenas in global memory: the bounds of their own arena.
OWN = (TABLE_AT, ROWS_AT, GLOBAL_STATE + lookup.ARENA, GLOBAL_STATE + lookup.ARENA + 8)
WANTED = st.builds(
    Wanted,
    st.sampled_from(sorted(OF)),
    st.booleans(),
    st.sampled_from(["", "", "global", "local"]),
    st.sampled_from([0, 8, -16, 3]),
    st.sampled_from([0, 0, 5, 40, 100]),
    st.booleans(),
)
ADDRESSES = st.builds(
    lambda edge, by, far: (edge + by + far) % 2**64,
    st.sampled_from(EDGES),
    st.one_of(st.integers(-17, 17), st.integers(-140, 140)),
    st.sampled_from([0, 0, 0, 1 << 32, -1 << 32, 1 << 40]),  # equal low halves
)


@pytest.mark.parametrize("local", [True, False], ids=["local arena", "global arena"])
@settings(max_examples=2500)
@given(wanted=WANTED, address=ADDRESSES)
@example(wanted=Wanted(1, False, "", 0, 0), address=READS[0][0])
@example(wanted=Wanted(8, True, "", 0, 0), address=0)
@example(wanted=Wanted(8, False, "", 8, 0, rounded=True), address=READS[0][0] + 24)
@example(wanted=Wanted(8, False, "", 0, 0, rounded=True), address=READS[0][0] + READS[0][1] - 3)
def test_what_is_legal_is_done_and_nothing_else(local: bool, wanted: Wanted, address: int) -> None:
    made = machine(wanted, local)
    before = dict(made.memory)
    pointer = (address - wanted.low) % 2**64
    if wanted.rounded:
        address = (pointer - pointer % 8 + wanted.low) % 2**64
    made.call("f", pointer, 0)
    own, done = made.done[: len(OWN) * (not local)], made.done[len(OWN) * (not local) :]
    assert [each.address for each in own] == list(OWN)[: len(own)]
    space, state = ("local", STATE) if local else ("global", GLOBAL_STATE)
    unwinds = made.get(space, state + lookup.UNWIND, 8)
    count = (1 + bool(wanted.more)) * legal(wanted, address, local)
    code_range = Done(space, state + lookup.RANGES, lookup.RANGE, stores=False)
    while len(done) > count and done[0] == code_range:
        del done[0]
    if count:
        assert (len(done), unwinds) == (count, 0)
        return
    assert (done, unwinds) == ([], lookup.UNWIND_ALL)
    place = [made.get(space, state + lookup.PLACE + 8 * k, 8) for k in range(3)]
    told = address - BASE if wanted.space == "local" else address
    assert place == [PLACES_AT, told % 2**64, int(wanted.stores)]
    made.put(space, state + lookup.PLACE, 0, lookup.UNWIND + 8 - lookup.PLACE)
    assert made.memory == before
