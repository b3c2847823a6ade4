"""Verify in a cubin that the collector's entry saves every register that may hold a pointer.

`porter_gc_flush` (templates/runtime/gc_flush.cu) forces the compiler to spill all callee-saved
registers to its frame, where the collector's stack scan finds them.
"""

from __future__ import annotations

from pathlib import Path

from porter.compile.flags import MOST_REGISTERS
from porter.compile.sass import FrameStore, frame_stores
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
            "see porter/compile/gcflush.py.",
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
