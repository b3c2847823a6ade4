"""The requirements of the host twin's library on the process that loads it."""

from __future__ import annotations

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from porter.pipeline import Build


def test_the_library_has_only_thread_local_variables_of_its_own(built: Build) -> None:
    # An imported thread-local variable lies elsewhere in a process that loaded its library first,
    # as every process that imported pyarrow did. The host twin's library would then not load.
    with (built.folder / "host" / "libgpusnek.so").open("rb") as file:
        table = ELFFile(file).get_section_by_name(".dynsym")
        assert isinstance(table, SymbolTableSection)
        local = [one for one in table.iter_symbols() if one.entry.st_info.type == "STT_TLS"]
    assert local
    assert [one.name for one in local if one.entry.st_shndx == "SHN_UNDEF"] == []
