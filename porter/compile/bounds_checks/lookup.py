"""Write a unit's lookup functions, which decide whether an access outside own memory is legal.

The classes of arenas (local memory, global memory) write the parts that depend on their place.

Legal are the build's constants and the launch's ranges (porter_ranges_t of
templates/runtime/porter_ranges.h). A lookup records an illegal access in the state. Each unit has
its own copies, so that ptxas knows which few registers they change and keeps the callers' other
registers live. Inlined, lookups would be most of the code, and instruction fetch would dominate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum

from porter.compile.bounds_checks.coverage import TABLE, AccessCheck

# Offsets in porter_ranges_t, which is at the start of the state, in bytes.
READS, COUNT, ARENA, RANGES, RANGE = 0, 4, 8, 32, 16
PLACE = RANGES + 24 * RANGE + 12 * 24
UNWIND = PLACE + 24  # porter_unwind, the state's next field
# The sealed part of the state, which only the runtime writes: the end of gpusnek_head_t, and
# porter_ranges_t. With arenas in local memory the state's next fields, also named porter_*, are
# sealed too: units write them at constant addresses, without checks.
SEALED_FROM, SEALED_TO, SEALED_TO_LOCAL = -104, UNWIND, UNWIND + 24
UNWIND_ALL = 1  # PORTER_UNWIND_ALL of porter_runtime.h
WINDOW, CONSTANTS = "porter_fence_window", "porter_fence_constants"
_REGISTERS = """
	.reg .pred %fenceP<3>;
	.reg .b32 %fence<10>;
	.reg .b64 %fenceD<10>;
	.reg .b32 %fenceS<5>;
	.reg .b64 %fenceA;
	.reg .f32 %fenceF32;
	.reg .f64 %fenceF64;
"""
# All checks of a function use these registers, and %fence7, the low half of the window's address.
_BASE, _HIGH = "%fence8", "%fence9"
_STATE, _LOW, _SIZE = "%fenceD7", "%fenceD8", "%fenceD9"


# Without frequencies ptxas places the call of a lookup between the fast path and the access, where
# warps fetch it in vain. With them it follows the function. The numbers only have to differ. Loads
# have none, because many need a lookup, and a jump out of the function's lines is fetched slowly.
_OFTEN, _RARELY = (f'\t.pragma "frequency {number}";' for number in (1_000_000, 1))


class _Weights:
    """The pragmas that tell ptxas which basic blocks run rarely; none before PTX 9.0."""

    def __init__(self, weighs: bool) -> None:
        """Args: weighs: Whether this version of PTX has frequencies."""
        self.often, self.rarely = ([_OFTEN], [_RARELY]) if weighs else ([], [])


class Local(_Weights):
    """Checks for local arenas: arena and C stack are one part of the thread's local window."""

    space, state_register = "local", ""
    farthest = 1 << 16  # largest distance from a register that `fast` adds to the low half

    def __init__(self, unit: str, weighs: bool, state: int) -> None:
        """Args: unit: The unit's number. state: The window offset of the state."""
        super().__init__(weighs)
        self.unit, self.state = unit, state

    def opening(self) -> str:
        """Return the instructions at the start of a function with checks."""
        lines = [_REGISTERS, *self.often, *_window()]
        return "\n".join(lines) + "\n"

    def fast(self, check: AccessCheck, address: str, distance: int) -> Iterator[str]:
        """Yield code that sets %fenceP0 if the access is in the thread's own memory.

        Args:
            check: The check.
            address: The register with the address.
            distance: Bytes to add to it, at most `farthest`.
        """
        if check.space == "global":
            yield "\tmov.pred \t%fenceP0, 0;"
            return
        yield from _in_window(check, address, distance)
        if check.stores:
            # Allowed: below or above the sealed part. Offsets count from the window's start.
            size = check.high - check.low
            start = "0" if check.space == "local" else "%fence7"
            yield f"\tmov.b64 \t{{%fence0, %fence1}}, {address};"
            yield f"\tsub.u32 \t%fence0, %fence0, {start};"
            below = self.state + SEALED_FROM - size + 1 - distance
            yield f"\tsub.u32 \t%fence0, %fence0, {below};"
            bytes_ = SEALED_TO_LOCAL - SEALED_FROM + size - 1
            yield f"\tsetp.ge.and.u32 \t%fenceP0, %fence0, {bytes_}, %fenceP0;"

    def window(self, address: str, legal: str) -> Iterator[str]:
        """Yield nothing: there is no further memory."""
        return iter(())


class Global(_Weights):
    """Checks for global arenas: the arena is in global memory, the C stack in the local window."""

    space, state_register, state, farthest = "global", _STATE, 0, 0

    def __init__(self, unit: str, weighs: bool) -> None:
        """Args: unit: The unit's number."""
        super().__init__(weighs)
        self.unit = unit

    def opening(self) -> str:
        """Return the instructions at the start of a function with checks."""
        lines = [
            _REGISTERS,
            *self.often,
            *_window(),
            "\tmov.u32 \t%fence0, %ctaid.x;",
            "\tmov.u32 \t%fence1, %ntid.x;",
            "\tmov.u32 \t%fence2, %tid.x;",
            "\tmad.lo.u32 \t%fence0, %fence0, %fence1, %fence2;",
            "\tmul.wide.u32 \t%fenceD0, %fence0, 8;",
            f"\tld.global.u64 \t%fenceD1, [{TABLE}];",
            "\tadd.u64 \t%fenceD1, %fenceD1, %fenceD0;",
            f"\tld.global.u64 \t{_STATE}, [%fenceD1];",
            f"\tld.global.u64 \t{_LOW}, [{_STATE}+{ARENA}];",
            f"\tld.global.u64 \t{_SIZE}, [{_STATE}+{ARENA + 8}];",
        ]
        return "\n".join(lines) + "\n"

    def fast(self, check: AccessCheck, address: str, distance: int) -> Iterator[str]:
        """Yield code that sets %fenceP0 if the access is in the interpreter's arena.

        Args: as in `Local.fast`; the distance is 0.
        """
        if check.space == "local":
            yield from _in_window(check, address, distance)
            return
        yield f"\tsub.u64 \t%fenceD0, {address}, {_LOW};"
        yield f"\tadd.u64 \t%fenceD1, %fenceD0, {check.high - check.low};"
        yield f"\tsetp.lt.u64 \t%fenceP0, %fenceD0, {_SIZE};"
        yield f"\tsetp.le.and.u64 \t%fenceP0, %fenceD1, {_SIZE}, %fenceP0;"
        if check.align > 1 and not check.aligned:
            yield f"\tand.b64 \t%fenceD0, {address}, {check.align - 1};"
            yield "\tsetp.eq.and.u64 \t%fenceP0, %fenceD0, 0, %fenceP0;"
        if check.stores:
            size = check.high - check.low
            yield f"\tsub.u64 \t%fenceD0, {address}, {_STATE};"
            yield f"\tsub.u64 \t%fenceD0, %fenceD0, {SEALED_FROM - size + 1};"
            bytes_ = SEALED_TO - SEALED_FROM + size - 1
            yield f"\tsetp.ge.and.u64 \t%fenceP0, %fenceD0, {bytes_}, %fenceP0;"

    def window(self, address: str, legal: str) -> Iterator[str]:
        """Yield code of a lookup that branches to `legal` if the access is in the C stack."""
        yield from (
            "\tmov.u64 \t%rd2, 0;",
            "\tcvta.local.u64 \t%rd2, %rd2;",
            "\tmov.b64 \t{%r1, %r2}, %rd2;",
            f"\tmov.b64 \t{{%r3, %r4}}, {address};",
            f"\tld.const.u32 \t%r5, [{WINDOW}];",
            "\tadd.u32 \t%r1, %r1, %r5;",
            "\tsub.u32 \t%r3, %r3, %r1;",
            f"\tld.const.u32 \t%r6, [{WINDOW}+4];",
            "\tsetp.lt.u32 \t%p0, %r3, %r6;",
            "\tsetp.eq.and.u32 \t%p0, %r4, %r2, %p0;",
            f"\t@%p0 bra \t{legal};",
        )


Arena = Local | Global


def _window() -> list[str]:
    """Return code that loads constants of the local window; its used part begins at _BASE."""
    spans = [f"\tld.const.u32 \t%fenceS{k}, [{WINDOW}+{4 + 4 * k}];" for k in range(5)]
    return [
        "\tmov.u64 \t%fenceD0, 0;",
        "\tcvta.local.u64 \t%fenceD0, %fenceD0;",
        f"\tmov.b64 \t{{%fence7, {_HIGH}}}, %fenceD0;",
        f"\tld.const.u32 \t%fence1, [{WINDOW}];",
        f"\tadd.u32 \t{_BASE}, %fence7, %fence1;",
        *spans,
    ]


def _in_window(check: AccessCheck, address: str, distance: int) -> Iterator[str]:
    """Yield code that sets %fenceP0 if an access is aligned and in the window's used part.

    The offset is rotated right by the alignment's bits, so that a low bit makes it too large. The
    distance is added to the low half alone. If that overflows, the sum is less than the start of
    the used part, which is at least WINDOW - LOCAL_MEMORY_LIMIT, and the offset is too large.
    """
    shift = _shift(check)
    yield f"\tmov.b64 \t{{%fence0, %fence1}}, {address};"
    if check.space == "local":
        yield f"\tld.const.u32 \t%fence2, [{WINDOW}];"
        yield "\tsub.u32 \t%fence0, %fence0, %fence2;"
    else:
        yield f"\tsub.u32 \t%fence0, %fence0, {_BASE};"
    if distance:
        yield f"\tadd.u32 \t%fence0, %fence0, {distance};"
    if shift:
        yield f"\tshf.r.wrap.b32 \t%fence0, %fence0, %fence0, {shift};"
    high = "0" if check.space == "local" else _HIGH
    yield f"\tsetp.lt.u32 \t%fenceP0, %fence0, %fenceS{shift};"
    yield f"\tsetp.eq.and.u32 \t%fenceP0, %fence1, {high}, %fenceP0;"


def _shift(check: AccessCheck) -> int:
    """Return how many low bits of the address the check has to test."""
    return 0 if check.aligned else check.align.bit_length() - 1


Guess = Callable[[AccessCheck, Arena, str], Iterator[str]]


def in_code(check: AccessCheck, arena: Arena, address: str) -> Iterator[str]:
    """Yield code that sets %fenceP0 if a load of a byte or a word is in the shared bytecode.

    Shared bytecode is range 0 (porter_ranges_begin). An empty range matches none.
    """
    last = check.high - check.low - 1
    state = arena.state_register or str(arena.state)
    yield f"\tmov.u64 \t%fenceD2, {state};"
    yield f"\tld.{arena.space}.v2.u64 \t{{%fenceD0, %fenceD1}}, [%fenceD2+{RANGES}];"
    yield f"\tsub.u64 \t%fenceD0, {address}, %fenceD0;"
    if last:  # the offset is a multiple of the size, and so its last byte is `offset | last`
        yield f"\tand.b64 \t%fenceD2, %fenceD0, {last};"
        yield "\tsetp.eq.u64 \t%fenceP1, %fenceD2, 0;"
        yield f"\tor.b64 \t%fenceD0, %fenceD0, {last};"
        yield "\tsetp.lt.and.u64 \t%fenceP0, %fenceD0, %fenceD1, %fenceP1;"
    else:
        yield "\tsetp.lt.u64 \t%fenceP0, %fenceD0, %fenceD1;"


def in_constants(check: AccessCheck, arena: Arena, address: str) -> Iterator[str]:
    """Yield code that sets %fenceP0 if a load is aligned and in the build's constants.

    It is the same for all arenas. It misses loads at the end of the constants, which the lookup
    finds. Like `_in_window` it rotates the offset; the constants begin at a multiple of 16.
    """
    del arena
    shift = _shift(check)
    yield f"\tld.const.u64 \t%fenceD0, [{CONSTANTS}];"
    yield f"\tsub.u64 \t%fenceD0, {address}, %fenceD0;"
    yield "\tmov.b64 \t{%fence0, %fence1}, %fenceD0;"
    if shift:
        yield f"\tshf.r.wrap.b32 \t%fence0, %fence0, %fence0, {shift};"
    yield f"\tld.const.u32 \t%fence2, [{CONSTANTS}+{16 + 4 * shift}];"
    yield "\tsetp.lt.u32 \t%fenceP0, %fence0, %fence2;"
    yield "\tsetp.eq.and.u32 \t%fenceP0, %fence1, 0, %fenceP0;"


DECLARATIONS = f"""
.extern .const .align 8 .b8 {WINDOW}[24];
.extern .const .align 8 .b8 {CONSTANTS}[40];
"""
# An access as a 32-bit word: its size in bytes less one, whether it stores, the address bits that
# must be 0, and the offset of its source location in the table of locations.
_STORES_AT, _ALIGN_AT, _PLACE_AT = 7, 8, 12
PLACES_END = 1 << (32 - _PLACE_AT)


def what(check: AccessCheck, place: int) -> int:
    """Return the word of `check`; `place` is the offset of its source location."""
    size = check.high - check.low
    return (
        size - 1 | check.stores << _STORES_AT | (check.align - 1) << _ALIGN_AT | place << _PLACE_AT
    )


class Lookup(Enum):
    """A class of accesses with a lookup function of its own. The value is part of its name."""

    BYTES = "bytes"  # loads of single bytes, mostly of bytecode
    LOADS = "loads"
    STORES = "stores"
    GLOBAL_LOADS = "global_loads"  # through pointers that cannot point to the window
    GLOBAL_STORES = "global_stores"
    NOTHING = "nothing"  # accesses to the window outside its used part, which are never legal

    @classmethod
    def of(cls, check: AccessCheck) -> Lookup:
        """Return the lookup that handles `check`."""
        if check.space == "local":
            return cls.NOTHING
        if check.space == "global":
            return cls.GLOBAL_STORES if check.stores else cls.GLOBAL_LOADS
        if check.stores:
            return cls.STORES
        return cls.BYTES if check.high - check.low == 1 else cls.LOADS

    def _name(self, arena: Arena) -> str:
        return f"porter_fence_{self.value}_{arena.unit}"

    def call(self, arena: Arena, address: str, word: str, legal: str) -> Iterator[str]:
        """Yield instructions that call the lookup.

        Args:
            arena: Where arenas are.
            address: The register with the address.
            word: The register with the value of `what`.
            legal: The register that receives whether the access is legal.
        """
        state = arena.state_register
        yield "\t{"
        for number, (kind, register) in enumerate(
            (("b64", address), ("b32", word), *([("b64", state)] if state else []))
        ):
            yield f"\t.param .{kind} fence_param{number};"
            yield f"\tst.param.{kind} \t[fence_param{number}+0], {register};"
        given = ", ".join(f"fence_param{number}" for number in range(3 if state else 2))
        yield "\t.param .b32 fence_retval;"
        yield f"\tcall.uni (fence_retval), {self._name(arena)}, ({given});"
        yield f"\tld.param.b32 \t{legal}, [fence_retval+0];"
        yield "\t}"

    def function(self, arena: Arena, places: str) -> list[str]:
        """Return the lookup function; `places` is the name of the unit's table of locations."""
        name = self._name(arena)
        given = [f".param .b64 {name}_param_0", f".param .b32 {name}_param_1"]
        loads = [
            f"\tld.param.u64 \t%rd0, [{name}_param_0];",
            f"\tld.param.u32 \t%r0, [{name}_param_1];",
        ]
        state, space = arena.state, arena.space
        if arena.state_register:
            given.append(f".param .b64 {name}_param_2")
            loads.append(f"\tld.param.u64 \t%rd1, [{name}_param_2];")
        else:
            loads.append(f"\tmov.u64 \t%rd1, {state};")
        return [
            f".func (.param .b32 func_retval0) {name}({', '.join(given)})",
            "{",
            "\t.reg .pred \t%p<3>;",
            "\t.reg .b32 \t%r<8>;",
            "\t.reg .b64 \t%rd<9>;",
            *loads,
            *self._looks(arena),
            *_refused(space, places),
            "$legal:",
            "\tmov.u32 \t%r1, 1;",
            "\tst.param.b32 \t[func_retval0+0], %r1;",
            "\tret;",
            "}",
        ]

    def _looks(self, arena: Arena) -> Iterator[str]:
        """Yield instructions that branch to $legal, or reach $refused if the access is illegal."""
        if self is Lookup.NOTHING:
            return
        stores = self in (Lookup.STORES, Lookup.GLOBAL_STORES)
        yield f"\tbfe.u32 \t%r1, %r0, {_ALIGN_AT}, {_PLACE_AT - _ALIGN_AT};"
        yield "\tcvt.u32.u64 \t%r2, %rd0;"
        yield "\tand.b32 \t%r1, %r1, %r2;"
        yield "\tsetp.ne.u32 \t%p0, %r1, 0;"
        yield "\t@%p0 bra \t$refused;"
        if self not in (Lookup.GLOBAL_LOADS, Lookup.GLOBAL_STORES):
            yield from arena.window("%rd0", "$legal")
        yield f"\tand.b32 \t%r1, %r0, {(1 << _STORES_AT) - 1};"
        yield "\tcvt.u64.u32 \t%rd2, %r1;"
        yield "\tadd.u64 \t%rd2, %rd0, %rd2;"  # the last byte
        if not stores:
            yield f"\tld.const.u64 \t%rd3, [{CONSTANTS}];"
            yield f"\tld.const.u64 \t%rd4, [{CONSTANTS}+8];"
            yield from _INSIDE
        yield f"\tld.{arena.space}.u32 \t%r1, [%rd1+{COUNT}];"
        yield f"\tadd.u64 \t%rd7, %rd1, {RANGES};"
        if stores:  # writable ranges follow the read-only ranges
            yield f"\tld.{arena.space}.u32 \t%r2, [%rd1+{READS}];"
            yield f"\tmul.wide.u32 \t%rd8, %r2, {RANGE};"
            yield "\tadd.u64 \t%rd7, %rd7, %rd8;"
            yield "\tsub.u32 \t%r1, %r1, %r2;"
        yield "$more:"
        yield '\t.pragma "nounroll";'
        yield "\tsetp.eq.u32 \t%p0, %r1, 0;"
        yield "\t@%p0 bra \t$refused;"
        yield from _range(arena.space, "%rd7", 0)
        yield from _INSIDE
        yield f"\tadd.u64 \t%rd7, %rd7, {RANGE};"
        yield "\tsub.u32 \t%r1, %r1, 1;"
        yield "\tbra.uni \t$more;"


def _range(space: str, at: str, distance: int) -> Iterator[str]:
    """Yield the load of a porter_range_t: its start and its size."""
    yield f"\tld.{space}.v2.u64 \t{{%rd3, %rd4}}, [{at}+{distance}];"


# Branches to $legal if the first byte, %rd0, and the last, %rd2, are in the %rd4 bytes from %rd3.
_INSIDE = (
    "\tsub.u64 \t%rd5, %rd0, %rd3;",
    "\tsub.u64 \t%rd6, %rd2, %rd3;",
    "\tsetp.lt.u64 \t%p0, %rd5, %rd4;",
    "\tsetp.lt.and.u64 \t%p0, %rd6, %rd4, %p0;",
    "\t@%p0 bra \t$legal;",
)


def _refused(space: str, places: str) -> list[str]:
    """Return code that records the access in the state and makes all functions return."""
    return [
        "$refused:",
        f"\tmov.u64 \t%rd3, {places};",
        "\tcvta.global.u64 \t%rd3, %rd3;",
        f"\tshr.u32 \t%r1, %r0, {_PLACE_AT};",
        "\tcvt.u64.u32 \t%rd4, %r1;",
        "\tadd.u64 \t%rd3, %rd3, %rd4;",
        f"\tst.{space}.u64 \t[%rd1+{PLACE}], %rd3;",
        f"\tst.{space}.u64 \t[%rd1+{PLACE + 8}], %rd0;",
        f"\tbfe.u32 \t%r1, %r0, {_STORES_AT}, 1;",
        "\tcvt.u64.u32 \t%rd4, %r1;",
        f"\tst.{space}.u64 \t[%rd1+{PLACE + 16}], %rd4;",
        f"\tmov.u64 \t%rd4, {UNWIND_ALL};",
        f"\tst.{space}.u64 \t[%rd1+{UNWIND}], %rd4;",
        "\tmov.u32 \t%r1, 0;",
        "\tst.param.b32 \t[func_retval0+0], %r1;",
        "\tret;",
    ]
