"""Read ELF files that compilers made: variables, functions and the size of code.

Inputs are host libraries, objects and cubins. Used by the checks of the compile stage.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


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


def code_bytes(path: Path) -> int:
    """Return the size in bytes of all executable sections. Raises ElfProblem."""
    from elftools.elf.constants import SH_FLAGS

    with _opened(path) as elf:
        sections = elf.iter_sections()
        return sum(s["sh_size"] for s in sections if s["sh_flags"] & SH_FLAGS.SHF_EXECINSTR)
