"""The parts of a check that depend on where arenas are: in local memory, or in global memory."""

from __future__ import annotations

from collections.abc import Iterator

from porter.compile.fencing.addresses import TABLE
from porter.compile.fencing.coverage import AccessCheck

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


class Local:
    """Checks for local arenas: arena and C stack are one part of the thread's local window."""

    space, state_register = "local", ""

    def __init__(self, unit: str, state: int) -> None:
        """Args: unit: The unit's number. state: The window offset of the state."""
        self.unit, self.state = unit, state

    def opening(self) -> str:
        """Return the instructions at the start of a function with checks."""
        lines = [_REGISTERS, *_window()]
        return "\n".join(lines) + "\n"

    def fast(self, check: AccessCheck, address: str) -> Iterator[str]:
        """Yield code that sets %fenceP0 if the access is in the thread's own memory."""
        if check.space == "global":
            yield "\tmov.pred \t%fenceP0, 0;"
            return
        yield from _in_window(check, address)
        if check.stores:
            # Allowed: below or above the sealed part. Offsets count from the window's start.
            size = check.high - check.low
            start = "0" if check.space == "local" else "%fence7"
            yield f"\tmov.b64 \t{{%fence0, %fence1}}, {address};"
            yield f"\tsub.u32 \t%fence0, %fence0, {start};"
            yield f"\tsub.u32 \t%fence0, %fence0, {self.state + SEALED_FROM - size + 1};"
            bytes_ = SEALED_TO_LOCAL - SEALED_FROM + size - 1
            yield f"\tsetp.ge.and.u32 \t%fenceP0, %fence0, {bytes_}, %fenceP0;"

    def window(self, address: str, legal: str) -> Iterator[str]:
        """Yield nothing: there is no further memory."""
        return iter(())


class Global:
    """Checks for global arenas: the arena is in global memory, the C stack in the local window."""

    space, state_register, state = "global", _STATE, 0

    def __init__(self, unit: str) -> None:
        """Args: unit: The unit's number."""
        self.unit = unit

    def opening(self) -> str:
        """Return the instructions at the start of a function with checks."""
        lines = [
            _REGISTERS,
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

    def fast(self, check: AccessCheck, address: str) -> Iterator[str]:
        """Yield code that sets %fenceP0 if the access is in the interpreter's arena."""
        if check.space == "local":
            yield from _in_window(check, address)
            return
        yield f"\tsub.u64 \t%fenceD0, {address}, {_LOW};"
        yield f"\tadd.u64 \t%fenceD1, %fenceD0, {check.high - check.low};"
        yield f"\tsetp.lt.u64 \t%fenceP0, %fenceD0, {_SIZE};"
        yield f"\tsetp.le.and.u64 \t%fenceP0, %fenceD1, {_SIZE}, %fenceP0;"
        if check.align > 1:
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


def _in_window(check: AccessCheck, address: str) -> Iterator[str]:
    """Yield code that sets %fenceP0 if an access is aligned and in the window's used part.

    The offset is rotated right by the alignment's bits, so that a low bit makes it too large.
    """
    shift = check.align.bit_length() - 1
    yield f"\tmov.b64 \t{{%fence0, %fence1}}, {address};"
    if check.space == "local":
        yield f"\tld.const.u32 \t%fence2, [{WINDOW}];"
        yield "\tsub.u32 \t%fence0, %fence0, %fence2;"
    else:
        yield f"\tsub.u32 \t%fence0, %fence0, {_BASE};"
    if shift:
        yield f"\tshf.r.wrap.b32 \t%fence0, %fence0, %fence0, {shift};"
    high = "0" if check.space == "local" else _HIGH
    yield f"\tsetp.lt.u32 \t%fenceP0, %fence0, %fenceS{shift};"
    yield f"\tsetp.eq.and.u32 \t%fenceP0, %fence1, {high}, %fenceP0;"
