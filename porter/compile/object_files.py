"""Read files that compilers made: ELF symbols and sections, and SASS of device functions.

Inputs are host libraries, objects and cubins. Used by the checks of the compile stage.

`nvdisasm` is used if it is installed. Otherwise a decoder reads the one relevant instruction, STL
(store to local memory). The tests compare its encoding with nvdisasm's output.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import frozen

from porter.base.process import run
from porter.errors import VerifyFailed


class ElfProblem(Exception):
    """A file that is no 64-bit ELF file, or that lacks a symbol; the message names both."""


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    # Imported late: machines that only run builds may lack pyelftools.
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    with path.open("rb") as stream:
        try:
            elf = ELFFile(stream)
            if elf.elfclass != 64:
                raise ElfProblem(f"{path}: not a 64-bit ELF file")
            yield elf
        except ELFError as error:
            raise ElfProblem(f"{path}: not a 64-bit ELF file") from error


def symbol_bytes(path: Path, symbol: str) -> bytes:
    """Return the initial value of the variable `symbol`. Raises ElfProblem."""
    with _opened(path) as elf:
        section, start, size = _variable(elf, path, symbol)
        return bytes(section.data()[start : start + size])


def symbol_sizes(path: Path, prefix: str) -> dict[str, int]:
    """Return the size in bytes of each symbol whose name starts with `prefix`.

    Raises:
        ElfProblem: The file is no ELF file.
    """
    with _opened(path) as elf:
        table = elf.get_section_by_name(".symtab")
        found = table.iter_symbols() if table else ()
        sizes = {str(symbol.name): int(symbol["st_size"]) for symbol in found}
        return {name: sizes[name] for name in sorted(sizes) if name.startswith(prefix)}


def _variable(elf: Any, path: Path, symbol: str) -> tuple[Any, int, int]:
    """Return the section of a variable, the variable's offset in it, and its size."""
    table = elf.get_section_by_name(".symtab")
    for found in (table.get_symbol_by_name(symbol) if table else None) or ():
        if isinstance(found["st_shndx"], int):
            section = elf.get_section(found["st_shndx"])
            # In a linked file st_value is an address, in other files an offset.
            return section, int(found["st_value"] - section["sh_addr"]), int(found["st_size"])
    raise ElfProblem(f"{path}: there is no variable {symbol}")


def function_code(path: Path, function: str) -> bytes:
    """Return the code of `function`, which a cubin keeps in a section of its own.

    Raises:
        ElfProblem: The file is no ELF file, or has no such function.
    """
    with _opened(path) as elf:
        section = elf.get_section_by_name(f".text.{function}")
        if section is None:
            raise ElfProblem(f"{path}: there is no function {function}")
        return bytes(section.data())


def functions(path: Path) -> dict[str, bytes]:
    """Return the code of every function of a cubin, by symbol. Raises ElfProblem."""
    with _opened(path) as elf:
        named = ((str(s.name), s) for s in elf.iter_sections())
        return {
            n.removeprefix(".text."): bytes(s.data()) for n, s in named if n.startswith(".text.")
        }


@frozen
class DeviceFunction:
    """The code of one device function, and the functions that it calls by name.

    Attributes:
        name: The ELF symbol. Internal helpers of the compiler share names.
        code: The instructions, with the padding at the end.
        calls: The indices of called functions in `DeviceCode.functions`, keyed by the byte offset
            of the CALL instruction.
        addressed: Whether code or data hold the function's address, so that calls through pointers
            are possible.
    """

    name: str
    code: bytes
    calls: Mapping[int, int]
    addressed: bool


@frozen
class DeviceCode:
    """All device functions of a linked cubin.

    Attributes:
        functions: The functions, in the order of their sections.
        tables: The constant bank of the compiler, which holds the tables of indexed branches (BRX).
    """

    functions: tuple[DeviceFunction, ...]
    tables: bytes


def device_code(path: Path) -> DeviceCode:
    """Return the functions of the linked cubin `path`, with their direct calls.

    Raises:
        ElfProblem: The file is no ELF file.
    """
    with _opened(path) as elf:
        sections = list(elf.iter_sections())
        at = [i for i, s in enumerate(sections) if str(s.name).startswith(".text.")]
        index = {section: i for i, section in enumerate(at)}
        codes = [bytes(sections[i].data()) for i in at]
        table = elf.get_section_by_name(".symtab")
        symbols = list(table.iter_symbols()) if table else []
        calls: list[dict[int, int]] = [{} for _ in codes]
        addressed: set[int] = set()
        for section in sections:
            if section["sh_type"] != "SHT_RELA" or section.name == ".rela.debug_frame":
                continue
            holder = index.get(section["sh_info"])
            for relocation in section.iter_relocations():
                symbol = symbols[relocation["r_info_sym"]]
                target = index.get(symbol["st_shndx"])
                if symbol["st_info"]["type"] != "STT_FUNC" or target is None:
                    continue
                offset = int(relocation["r_offset"])
                if holder is not None and _is_call(codes[holder], offset):
                    calls[holder][offset] = target
                elif holder != target or not relocation["r_addend"]:  # else a return address
                    addressed.add(target)
        banks = [s.data() for s in sections if str(s.name).startswith(".nv.constant2")]
        named = ((str(sections[i].name).removeprefix(".text."), i) for i in at)
        found = (
            DeviceFunction(name, codes[index[i]], calls[index[i]], index[i] in addressed)
            for name, i in named
        )
        return DeviceCode(tuple(found), b"".join(bytes(bank) for bank in banks))


_CALLS = {0x943, 0x944}  # CALL.ABS, CALL.REL


def _is_call(code: bytes, offset: int) -> bool:
    return int.from_bytes(code[offset : offset + 2], "little") & 0xFFF in _CALLS


def code_bytes(path: Path) -> int:
    """Return the size in bytes of all executable sections. Raises ElfProblem."""
    from elftools.elf.constants import SH_FLAGS

    with _opened(path) as elf:
        sections = elf.iter_sections()
        return sum(s["sh_size"] for s in sections if s["sh_flags"] & SH_FLAGS.SHF_EXECINSTR)


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
