"""Small linked cubins, written without a compiler, and counts of launches that ran their code."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import field, frozen

from porter.compile.object_files import DeviceCode, DeviceFunction, device_code
from porter_dev.bench.instruction_counts import InstructionCount

BYTES = 16
PLAIN, NOP, RETURN, CALL = 0x210, 0x918, 0x950, 0x943
TRAP = 0xFFFFFFFC00FC7947  # BRA to itself, as ptxas encodes it for sm_90
TRAP_BEFORE = 0xFFFFFFF000007947  # the same for sm_80


def branch(instructions: int) -> int:
    """Return a BRA of sm_90 that skips `instructions` instructions; negative: backward."""
    words = 4 * instructions & (1 << 40) - 1
    return 0x947 | (words & 0xFF) << 16 | (words >> 8 << 34) & (1 << 64) - 1


def branch_before(instructions: int) -> int:
    """Return the same branch as ptxas encodes it for sm_80."""
    return 0x947 | (BYTES * instructions & (1 << 32) - 1) << 32


@frozen
class SmallFunction:
    """A function of a small cubin.

    Attributes:
        name: Its symbol.
        body: Its instructions, low words; 0 is a plain one.
        calls: The names of called functions, by the index of the CALL.
        trap: The branch to itself behind the body.
    """

    name: str
    body: Sequence[int] = (0, 0, RETURN)
    calls: Mapping[int, str] = field(factory=dict)
    trap: int = TRAP

    @property
    def code(self) -> bytes:
        """The instructions, padded to 128 bytes."""
        words = [word or PLAIN for word in self.body]
        for at in self.calls:
            words[at] = CALL
        # The high word of a branch backward continues the distance's sign.
        pairs = [struct.pack("<QQ", w, 0x3FFFF if w >> 63 else 0) for w in (*words, self.trap)]
        padding = -len(pairs) % 8
        return b"".join(pairs) + struct.pack("<QQ", NOP, 0) * padding


def write_cubin(
    path: Path,
    functions: Sequence[SmallFunction],
    *,
    addressed: Sequence[str] = (),
    tables: bytes = b"",
) -> Path:
    """Write an ELF file with a section for each function, as nvlink does.

    Args:
        path: The file to write.
        functions: The functions.
        addressed: Functions whose addresses the data hold.
        tables: The constant bank with the tables of indexed branches.
    """
    names = [function.name for function in functions]
    symbols = struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
    strings = b"\0"
    sections: list[tuple[str, int, int, int, bytes]] = []  # name, type, link, info, data
    for i, function in enumerate(functions):
        symbols += struct.pack("<IBBHQQ", len(strings), 0x12, 0, 4 + i, 0, len(function.code))
        strings += function.name.encode() + b"\0"
        sections.append((f".text.{function.name}", 1, 0, 0, function.code))
    for i, function in enumerate(functions):
        entries = [
            struct.pack("<QQq", at * BYTES, names.index(target) + 1 << 32 | 75, 0)
            for at, target in function.calls.items()
        ]
        # The address to which the callee returns, in the caller's own code.
        entries += [
            struct.pack("<QQq", 0, i + 1 << 32 | 56, (at + 1) * BYTES) for at in function.calls
        ]
        if entries:
            sections.append((f".rela.text.{function.name}", 4, 3, 4 + i, b"".join(entries)))
    data = 4 + len(sections)
    sections.append((".nv.global.init", 1, 0, 0, bytes(8 * len(addressed) or 8)))
    pointers = [
        struct.pack("<QQq", 8 * i, names.index(name) + 1 << 32 | 2, 0)
        for i, name in enumerate(addressed)
    ]
    if pointers:
        sections.append((".rela.nv.global.init", 4, 3, data, b"".join(pointers)))
    if tables:
        sections.append((".nv.constant2.kernel", 1, 0, 0, tables))
    whole = [("", 0, 0, 0, b""), (".shstrtab", 3, 0, 0, b""), (".strtab", 3, 0, 0, strings)]
    whole += [(".symtab", 2, 2, 1, symbols), *sections]
    heads = b"".join(name.encode() + b"\0" for name, *_ in whole)
    whole[1] = (".shstrtab", 3, 0, 0, heads)
    body, table, at = b"", b"", 0
    for name, kind, link, info, content in whole:
        size = {2: 24, 4: 24}.get(kind, 0)
        numbers = (0, 0, 64 + len(body), len(content), link, info, 16, size)
        table += struct.pack("<IIQQQQIIQQ", at, kind, *numbers)
        at += len(name) + 1
        body += content + bytes(-len(content) % 16)
    head = b"\x7fELF\x02\x01\x01\x41" + bytes(8)
    head += struct.pack("<HHIQQQI", 2, 190, 1, 0, 0, 64 + len(body), 0x6005A04)
    head += struct.pack("<HHHHHH", 64, 0, 0, 64, len(whole), 1)
    path.write_bytes(head + body + table)
    return path


def small_code(folder: Path, functions: Sequence[SmallFunction], **options: object) -> DeviceCode:
    """Write a cubin and read its functions."""
    return device_code(write_cubin(folder / "small.cubin", functions, **options))  # type: ignore[arg-type]


def ran(
    function: SmallFunction | DeviceFunction,
    address: int,
    executed: Sequence[int],
    stalls: int = 0,
) -> list[InstructionCount]:
    """Return the counts of a function that was loaded at `address`.

    Args:
        function: The function.
        address: Its address.
        executed: The executions of its first instructions; the last number counts for the rest,
            and padding was not executed. As in reports of ncu, the trap has no counts.
        stalls: The samples of each instruction.
    """
    size = len(function.code) // BYTES
    traps = (TRAP, TRAP_BEFORE)
    words = [word for word, _ in struct.iter_unpack("<QQ", function.code)]
    trap = next(i for i, word in enumerate(words) if word in traps)
    numbers = [executed[min(i, len(executed) - 1)] if i < trap else 0 for i in range(size)]
    return [
        InstructionCount(address + i * BYTES, numbers[i], stalls if i < trap else 0)
        for i in range(size)
        if i != trap
    ]
