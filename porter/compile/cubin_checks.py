"""Checks of a cubin: registers that the collector saves, and convergence barriers by function.

The collector's entry must save every register that may hold a pointer. Barriers are the places
where the lanes of a warp can reconverge.

`porter_gc_flush` (templates/runtime/gc_flush.cu) forces the compiler to spill all callee-saved
registers to its frame, where the collector's stack scan finds them.

    python -m porter.compile.cubin_checks CUBIN... [FUNCTION...]

prints a line for each function with a divergent branch or a YIELD. The columns: divergent branches,
convergence regions (BSSY), early exits from a region (BREAK), WARPSYNCs, YIELDs and all
instructions. A YIELD inside a function that has saved and cleared its callers' barriers breaks
reconvergence in the callers (docs/lab/compiled.md, "Yields"). A diagnostic; builds do not call it.
"""

from __future__ import annotations

import struct
import sys
from collections import Counter
from pathlib import Path

from attrs import frozen

from porter.compile.flags import MOST_REGISTERS
from porter.compile.object_files import ElfProblem, FrameStore, frame_stores, functions
from porter.errors import VerifyFailed
from porter.manifest import SavedRegisters

FUNCTION = "porter_gc_flush"


def callee_saved() -> frozenset[int]:
    """Return the callee-saved registers (CUDA 13.0, sm_90; measured, see DESIGN.md).

    R2, R16 to R31, R252, and from R36 to R247 four of every eight: R(8k+4) to R(8k+7).
    """
    banks = {8 * k + i for k in range(4, 31) for i in (4, 5, 6, 7) if 36 <= 8 * k + i <= 247}
    return frozenset({2, *range(16, 32), *banks, 252})


def usable(registers: int) -> frozenset[int]:
    """Return the callee-saved registers of a program with a cap of `registers` per thread.

    ptxas reserves the two highest registers of a cap: a cap of N leaves R0 to R(N-3) (measured for
    64 to 168 on the whole device build).
    """
    return frozenset(r for r in callee_saved() if r < registers - 2)


def check_stores(stores: tuple[FrameStore, ...], registers: int = MOST_REGISTERS) -> None:
    """Check that every callee-saved register is stored in an aligned word of the frame.

    The collector treats each aligned 32-bit word of the frame as the low half of a pointer
    (templates/port/gccollect.c), so the order of the registers does not matter.

    Raises:
        VerifyFailed: A register is not stored, or is stored at an unaligned offset.
    """
    slots = {store.register: store.offset for store in stores}
    needed = usable(registers)
    missing = sorted(needed - slots.keys())
    if missing:
        raise VerifyFailed(
            f"{FUNCTION}: callee-saved registers not stored in its frame: "
            + ", ".join(f"R{register}" for register in missing),
            hint="This compiler's calling convention differs from the one that was measured; "
            "see porter/compile/cubin_checks.py.",
        )
    for register in sorted(needed):
        if slots[register] % 4:
            raise VerifyFailed(
                f"{FUNCTION}: R{register} lies at {slots[register]:#x}, across two aligned words"
            )


def check_flush(
    cubin: Path, nvdisasm: str | None, registers: int = MOST_REGISTERS
) -> SavedRegisters:
    """Check `porter_gc_flush` in a relocatable cubin.

    Args:
        cubin: The cubin of the collector's unit.
        nvdisasm: The path of nvdisasm; None uses porter's own decoder.
        registers: The cap on registers per thread with which `cubin` was compiled.

    Returns:
        The decoder that was used and the number of registers checked.

    Raises:
        VerifyFailed: The check failed.
    """
    stores = frame_stores(cubin, FUNCTION, nvdisasm)
    check_stores(stores, registers)
    return SavedRegisters("nvdisasm" if nvdisasm else "built-in", len(usable(registers)))


_BYTES = 16  # of an instruction, on sm_70 and later
_BSSY, _BREAK, _BRA, _BRX, _WARPSYNC, _YIELD = 0x945, 0x942, 0x947, 0x949, 0x948, 0x946
_SAVE, _FIRST_OF_CALLERS = 0x355, 6  # BMOV.32.CLEAR; barriers from 6 on are callee-saved
_ALWAYS = 7  # the predicate PT: every lane executes the instruction


@frozen
class Barriers:
    """The convergence instructions of one function.

    Lanes that diverge in a function with branches but without regions do not reconverge there.

    Attributes:
        branches: Conditional and indexed branches.
        regions: Convergence regions (BSSY).
        breaks: Early exits from regions (BREAK).
        warpsyncs: WARPSYNC instructions, which wait for the lanes of a mask.
        yields: YIELD instructions. ptxas emits one per function and loop with an access that is
            stronger than a plain one (atomic, volatile, ordered).
        instructions: All instructions.
        saved: The callers' barriers that the function saves and clears. A lane that runs the
            function is no member of these barriers until the function restores them.
    """

    branches: int
    regions: int
    breaks: int
    warpsyncs: int
    yields: int
    instructions: int
    saved: frozenset[int]


def count(code: bytes) -> Barriers:
    """Count the convergence instructions in the SASS of one function (sm_70 or later)."""
    found: Counter[int] = Counter()
    saved: set[int] = set()
    branches = 0
    for (low,) in struct.iter_unpack("<Q8x", code[: len(code) // _BYTES * _BYTES]):
        opcode, predicate = low & 0xFFF, low >> 12 & 7
        found[opcode] += 1
        if opcode == _SAVE:
            saved.add(low >> 24 & 15)
        branches += opcode == _BRX or (opcode == _BRA and predicate != _ALWAYS)
    return Barriers(
        branches=branches,
        regions=found[_BSSY],
        breaks=found[_BREAK],
        warpsyncs=found[_WARPSYNC],
        yields=found[_YIELD],
        instructions=len(code) // _BYTES,
        saved=frozenset(number for number in saved if number >= _FIRST_OF_CALLERS),
    )


def barriers(cubin: Path) -> dict[str, Barriers]:
    """Return the counts of every function in `cubin`, by symbol.

    Raises:
        VerifyFailed: `cubin` is no cubin, or cannot be read.
    """
    try:
        return {name: count(code) for name, code in functions(cubin).items()}
    except (ElfProblem, OSError) as error:
        raise VerifyFailed(f"{cubin}: {error}") from error


def main(arguments: list[str]) -> None:
    """Print the table that the module's docstring describes."""
    print("branches regions breaks warpsyncs yields instructions function")
    cubins = [Path(argument) for argument in arguments if argument.endswith(".cubin")]
    wanted = [argument for argument in arguments if not argument.endswith(".cubin")]
    for cubin in cubins:
        for name, b in sorted(barriers(cubin).items()):
            if (b.branches or b.yields) and (not wanted or any(part in name for part in wanted)):
                counts = (b.branches, b.regions, b.breaks, b.warpsyncs, b.yields, b.instructions)
                print(*(f"{n:8}" for n in counts), name)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except VerifyFailed as error:
        sys.exit(error.message)
