"""Numbers of instructions agree with the release's headers and its own tool."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from porter.base.paths import templates_dir
from porter.compiler.opcodes import effect
from porter.compiler.stored import INSTRUCTIONS, load_tables, stored
from porter.compiler.tables import Tables, read_tables
from porter.errors import NotBuilt, UpstreamChange
from porter.sync.store import release_dir, synced_releases
from tests.compiler.upstream_reader import mpy_tool

RELEASES = synced_releases()
_METHODS = {  # the tool's names of operators, by porter's
    "unary": {"POSITIVE": "__pos__", "NEGATIVE": "__neg__", "INVERT": "__invert__"},
    "binary": {
        "LESS": "__lt__",
        "NOT_EQUAL": "__ne__",
        "INPLACE_OR": "__ior__",
        "INPLACE_ADD": "__iadd__",
        "INPLACE_POWER": "__ipow__",
        "OR": "__or__",
        "SUBTRACT": "__sub__",
        "MAT_MULTIPLY": "__matmul__",
        "FLOOR_DIVIDE": "__floordiv__",
        "TRUE_DIVIDE": "__truediv__",
        "POWER": "__pow__",
    },
}


def of(release: str) -> Tables:
    return read_tables(release_dir(release), templates_dir())


def test_releases_are_there() -> None:
    assert RELEASES


@pytest.mark.parametrize("release", RELEASES)
def test_each_number_means_what_the_tool_says(release: str) -> None:
    tables, opcode = of(release), mpy_tool(release_dir(release)).Opcode
    for number in range(256):
        families = [
            f"{name} {number - first - (tables.excess if 'SMALL_INT' in name else 0)}"
            for name, (first, count) in tables.families.items()
            if first <= number < first + count
        ]
        ours = [*families, *filter(None, [tables.opcodes.get(number)])]
        theirs = opcode.mapping[number]
        if ours == ["SYNCTHREADS"]:  # the port's own
            assert theirs == "unknown"
        elif ours:
            assert len(ours) == 1
            assert f"{theirs} ".startswith(f"{ours[0]} "), hex(number)
        else:
            # The tool's mapping also names bases and counts for numbers without an instruction.
            assert theirs == "unknown" or "BASE_" in theirs or "_NUM" in theirs, hex(number)


@pytest.mark.parametrize("release", RELEASES)
def test_formats_and_operators_are_the_tools(release: str) -> None:
    tables, tool = of(release), mpy_tool(release_dir(release))
    names = {
        tool.MP_BC_FORMAT_BYTE: "byte",
        tool.MP_BC_FORMAT_QSTR: "qstr",
        tool.MP_BC_FORMAT_VAR_UINT: "uint",
        tool.MP_BC_FORMAT_OFFSET: "offset",
    }
    for number in tables.opcodes:
        form, size, _, extra = tool.mp_opcode_decode(bytes([number, 0, 0, 0]), 0)
        assert tables.formats[number >> 4] == names[form], hex(number)
        assert (number & tables.extra_byte == 0) == (extra is not None), hex(number)
        assert size >= 1
    for ours, theirs, known in (
        (tables.unary, tool.mp_unary_op_method_name, _METHODS["unary"]),
        (tables.binary, tool.mp_binary_op_method_name, _METHODS["binary"]),
    ):
        for name, method in known.items():
            assert theirs[ours.index(name)] == method


@pytest.mark.parametrize("release", RELEASES)
def test_a_build_has_them_too(release: str, tmp_path: Path) -> None:
    file = tmp_path / INSTRUCTIONS
    file.write_text(stored(of(release)))
    assert load_tables(file) == of(release)
    file.write_text(stored(of(release))[:-20])
    with pytest.raises(NotBuilt):
        load_tables(file)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Copy the files that are read of the newest release, so that tests can change them."""
    (tmp_path / "py").mkdir()
    for name in ("bc0.h", "runtime0.h", "makeqstrdata.py"):
        shutil.copy(release_dir(RELEASES[-1]) / "py" / name, tmp_path / "py" / name)
    return tmp_path


def change(folder: Path, name: str, old: str, new: str) -> None:
    file = folder / "py" / name
    text = file.read_text()
    assert text.count(old) >= 1
    file.write_text(text.replace(old, new))


def test_what_moves_upstream_moves_here(copied: Path) -> None:
    before = read_tables(copied, templates_dir())
    number = {name: at for at, name in before.opcodes.items()}
    change(copied, "bc0.h", "(MP_BC_BASE_BYTE_O + 0x05)", "(MP_BC_BASE_RESERVED + 0x07)")
    change(copied, "runtime0.h", "    MP_BINARY_OP_LESS,\n", "")
    change(
        copied,
        "bc0.h",
        "MP_BC_LOAD_CONST_SMALL_INT_MULTI_EXCESS (16)",
        "MP_BC_LOAD_CONST_SMALL_INT_MULTI_EXCESS (8)",
    )
    after = read_tables(copied, templates_dir())
    assert after.opcodes[7] == "LOAD_SUBSCR"
    assert number["LOAD_SUBSCR"] not in after.opcodes
    assert before.binary[1:] == after.binary[: len(before.binary) - 1]
    assert after.excess == 8


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("bc0.h", "#define MP_BC_FORMAT(op) ((0x", "#define MP_BC_FORMAT(op) ((table[0x"),
        ("bc0.h", "(MP_BC_BASE_BYTE_O + 0x05)", "(MP_BC_BASE_OTHER + 0x05)"),
        ("bc0.h", "#define MP_BC_MASK_EXTRA_BYTE", "#define MP_BC_OTHER_MASK"),
        ("bc0.h", "_MULTI_EXCESS (16)", "_MULTI_BIAS (16)"),
        ("makeqstrdata.py", "static_qstr_list = [", "static_qstr_list = sorted(["),
        ("runtime0.h", "#define MP_BINARY_OP_NUM_BYTECODE", "#define MP_BINARY_OP_LAST"),
    ],
)
def test_headers_of_another_kind_are_an_upstream_change(
    copied: Path, name: str, old: str, new: str
) -> None:
    change(copied, name, old, new)
    with pytest.raises(UpstreamChange, match=r"py/"):
        read_tables(copied, templates_dir())


def test_a_tree_without_headers_is_an_upstream_change(tmp_path: Path) -> None:
    with pytest.raises(UpstreamChange, match=r"py/bc0\.h"):
        read_tables(tmp_path, templates_dir())


@pytest.mark.parametrize("release", RELEASES)
def test_what_each_instruction_does_to_the_stack_is_known(release: str) -> None:
    tables = of(release)
    names = {name.removesuffix("_N") for name in (*tables.opcodes.values(), *tables.families)}
    assert len(names) > 60
    for name in names:
        effect(name, 0)


def test_an_instruction_that_a_later_release_brings_is_named() -> None:
    with pytest.raises(UpstreamChange, match="no row for LOAD_MOON"):
        effect("LOAD_MOON", 0)
