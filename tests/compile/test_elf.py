"""Reading symbols and code sections of ELF files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from porter.compile.object_files import ElfProblem, code_bytes, function_code, symbol_bytes

SOURCE = """
extern const unsigned int words[2] = {1, 0x01020304};
int unset;
extern "C" int three() { return 3; }
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("elf")
    command = ["g++", "-shared", "-fPIC", "-O1", "-ffunction-sections", "-x", "c++", "-"]
    for options, name in ((["-c"], "a.o"), ([], "a.so")):
        subprocess.run(
            [*command, *options, "-o", name], input=SOURCE, text=True, cwd=folder, check=True
        )
    return folder


def test_variables(made: Path) -> None:
    for name in ("a.o", "a.so"):
        assert symbol_bytes(made / name, "words") == bytes([1, 0, 0, 0, 4, 3, 2, 1])
        with pytest.raises(ElfProblem, match=f"{name}: there is no variable other"):
            symbol_bytes(made / name, "other")


def test_functions(made: Path) -> None:
    code = function_code(made / "a.o", "three")
    assert code.endswith(b"\xc3") and len(code) <= code_bytes(made / "a.o") < 100
    with pytest.raises(ElfProblem, match="there is no function four"):
        function_code(made / "a.o", "four")


def test_no_elf_file(tmp_path: Path) -> None:
    file = tmp_path / "a.cubin"
    for content in (b"", b"hello", b"\x7fELF\x01" + bytes(60), b"\x7fELF\x02\x01\x01" + bytes(9)):
        file.write_bytes(content)
        for read in (code_bytes, lambda path: symbol_bytes(path, "a")):
            with pytest.raises(ElfProblem, match=r"a\.cubin: not a 64-bit ELF file"):
                read(file)
