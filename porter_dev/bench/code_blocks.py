"""Find the basic blocks of device functions: the places where execution counts may change.

Input is the code of one function (`porter.compile.object_files.DeviceFunction`), output the indices
of the instructions that begin a block. `code_placement` compares these with a profiler's counts.
The decoder reads control instructions of sm_80 and later. A test compares its branch targets with
cuobjdump's output.
"""

from __future__ import annotations

import struct
from functools import cached_property

from attrs import field, frozen

INSTRUCTION = 16  # bytes of an instruction, on sm_70 and later
_BRA, _BRX, _BSSY = 0x947, 0x949, 0x945
_WARPSYNC = {0x348, 0x948}
# After these the set of active lanes may differ: BSYNC, BREAK, CALL, BSSY, YIELD, BRA, WARPSYNC,
# BRX, EXIT, RET, NANOSLEEP, ENDCOLLECTIVE.
_ENDS = {0x941, 0x942, 0x343, 0x943, 0x944, _BSSY, 0x946, _BRA, _BRX, 0x94D, 0x950, 0x35D, 0x95D}
_ENDS |= {0x91B, *_WARPSYNC}
# A function's code ends with a branch to itself; its encoding tells that of all branches.
_TRAP = 0xFFFFFFFC00FC  # sm_90 and later: a distance in words, its low byte in bits 16 to 23
_TRAP_BYTES = 0xFFFFFFF00000  # before sm_90: a distance in bytes, from bit 32


@frozen(slots=False)
class CodeBlocks:
    """The shape of one function's code.

    Attributes:
        code: The instructions, with the padding at the end.
        tables: The constant bank with the tables of indexed branches.
    """

    code: bytes = field(repr=False)
    tables: bytes = field(default=b"", repr=False)

    @property
    def size(self) -> int:
        """The number of instructions, padding included."""
        return len(self.code) // INSTRUCTION

    @cached_property
    def trap(self) -> int | None:
        """The index of the branch to itself that ends the code, if there is such a branch."""
        words = list(struct.iter_unpack("<Q8x", self.code[: self.size * INSTRUCTION]))
        for i in range(len(words) - 1, -1, -1):
            if words[i][0] & 0xFFF == _BRA and words[i][0] >> 16 in (_TRAP, _TRAP_BYTES):
                return i
        return None

    @cached_property
    def starts(self) -> frozenset[int]:
        """The indices of instructions at which the execution count may differ from the one before.

        Starts are targets of branches, entries of tables that an indexed branch may use, and
        instructions after a control instruction.
        """
        found = {0}
        end = self.size
        in_bytes = self._in_bytes()
        indexed = False
        for i, (low, high) in enumerate(struct.iter_unpack("<QQ", self.code[: end * INSTRUCTION])):
            opcode = low & 0xFFF
            if opcode not in _ENDS:
                continue
            found.add(i + 1)
            if opcode == _BSSY:
                found.add(i + 1 + _signed(low >> 32, 32) // INSTRUCTION)
            elif opcode == _BRA or opcode in _WARPSYNC:
                found.add(i + 1 + _distance(low, high, in_bytes) // INSTRUCTION)
            indexed |= opcode == _BRX
        if indexed:
            words = struct.iter_unpack("<I", self.tables[: len(self.tables) // 4 * 4])
            found |= {word // INSTRUCTION for (word,) in words if word % INSTRUCTION == 0}
        return frozenset(i for i in found if 0 <= i < end)

    def _in_bytes(self) -> bool:
        if self.trap is None:
            return False
        (low,) = struct.unpack_from("<Q", self.code, self.trap * INSTRUCTION)
        return bool(low >> 16 == _TRAP_BYTES)


def _distance(low: int, high: int, in_bytes: bool) -> int:
    """Return the distance in bytes from the next instruction to the target of a branch."""
    if in_bytes:
        return _signed(low >> 32 | (high & 0x3FFFF) << 32, 50) & ~3  # BRA.DIV uses the low bits
    words = low >> 16 & 0xFF | low >> 34 << 8 | (high & 0x3FFFF) << 38
    return 4 * _signed(words, 56)


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value
