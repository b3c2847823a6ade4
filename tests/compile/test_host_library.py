"""What the host twin's library asks of the process that loads it."""

from __future__ import annotations

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from porter.pipeline import Build


def test_the_library_has_only_thread_local_variables_of_its_own(built: Build) -> None:
    # Those of another library lie elsewhere in a process that loaded that one first, as every
    # process does that has imported pyarrow; then ours would not load.
    with (built.folder / "host" / "libgpusnek.so").open("rb") as file:
        table = ELFFile(file).get_section_by_name(".dynsym")
        assert isinstance(table, SymbolTableSection)
        local = [one for one in table.iter_symbols() if one.entry.st_info.type == "STT_TLS"]
    assert local
    assert [one.name for one in local if one.entry.st_shndx == "SHN_UNDEF"] == []
