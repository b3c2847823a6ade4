"""Read from SASS which registers a device function stores in its frame, and where.

`nvdisasm` is used if it is installed. Otherwise a decoder reads the one relevant instruction, STL
(store to local memory). The tests compare its encoding with nvdisasm's output.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

from attrs import frozen

from porter.base.process import run
from porter.compile.elf import ElfProblem, function_code
from porter.errors import VerifyFailed

_STL = re.compile(r"STL(?:\.(64|128))?\s+\[R1(?:\+(0x[0-9a-f]+))?\],\s*R(\d+)")
_SECTION = re.compile(r"\s*\.section\s")  # before sm_90 a .sectioninfo follows it
_INSTRUCTION_BYTES = 16  # sm_70 and later
_OPCODE_STL = 0x387
_STACK_POINTER = 1
_SIZE_CODES = {4: 4, 5: 8, 6: 16}  # other codes store less than a register


@frozen(order=True)
class FrameStore:
    """A store of a 32-bit register at `offset` bytes above the stack pointer (R1)."""

    register: int
    offset: int


def frame_stores(cubin: Path, function: str, nvdisasm: str | None) -> tuple[FrameStore, ...]:
    """Return the registers that a function stores relative to R1; wide stores are split.

    Args:
        cubin: A relocatable cubin.
        function: The function's symbol.
        nvdisasm: The path of nvdisasm; None uses the decoder.

    Raises:
        VerifyFailed: The file is no cubin, or lacks the function.
    """
    if nvdisasm is None:
        try:
            return decode_stores(function_code(cubin, function))
        except ElfProblem as error:
            raise VerifyFailed(str(error)) from error
    listing = run([nvdisasm, "-c", cubin]).stdout
    return parse_listing(listing, function)


def parse_listing(listing: str, function: str) -> tuple[FrameStore, ...]:
    """Return the stores of `function` in an nvdisasm listing of a relocatable cubin."""
    stores: list[FrameStore] = []
    inside = False
    for line in listing.splitlines():
        if _SECTION.match(line):
            inside = f".text.{function}," in line
        match = _STL.search(line) if inside else None
        if match:
            width, offset, register = match.groups()
            stores += _split(int(register), int(offset or "0", 16), int(width or "32") // 8)
    return tuple(stores)


def decode_stores(code: bytes) -> tuple[FrameStore, ...]:
    """Return the stores in the SASS of sm_70 or later: `STL [R1 + offset], Rn`."""
    stores: list[FrameStore] = []
    for at in range(0, len(code) - _INSTRUCTION_BYTES + 1, _INSTRUCTION_BYTES):
        low, high = struct.unpack_from("<QQ", code, at)
        base = low >> 24 & 0xFF
        size = _SIZE_CODES.get(high >> 9 & 7)
        if low & 0xFFF == _OPCODE_STL and base == _STACK_POINTER and size is not None:
            stores += _split(low >> 32 & 0xFF, low >> 40 & 0xFFFFFF, size)
    return tuple(stores)


def _split(register: int, offset: int, size: int) -> list[FrameStore]:
    return [FrameStore(register + i, offset + 4 * i) for i in range(size // 4)]
