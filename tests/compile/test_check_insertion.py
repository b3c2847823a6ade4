"""Bounds checks in PTX: checked accesses, merged checks, and acceptance by ptxas."""

import re
import subprocess
from pathlib import Path

import pytest

from porter import toolchain
from porter.base.paths import templates_dir
from porter.compile.bounds_checks import lookup
from porter.compile.bounds_checks.assembly import UnreadPtx, functions
from porter.compile.bounds_checks.coverage import MOST, AccessCheck, Addresses, checks, object_sizes
from porter.compile.bounds_checks.insertion import WINDOW, fence
from porter.compile.bounds_checks.step import main
from porter.errors import PorterError
from porter.run.device import bounds_checks

STATE = 16737216
LOCAL = f".global .align 8 .u64 x_porter_fence_state = {STATE};"
GLOBAL = ".global .align 8 .u64 x_porter_fence_state;"
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n\n"


def unit(body: str, *declared: str, returns: str = "", arena: str = LOCAL) -> str:
    """Return a unit with one function of two parameters."""
    registers = "\n".join(
        f"\t.reg .{kind} \t%{name}<30>;"
        for kind, name in (("pred", "p"), ("b16", "rs"), ("b32", "r"), ("b64", "rd"))
    )
    given = "\tld.param.u64 \t%rd1, [f_param_0];\n\tld.param.u64 \t%rd2, [f_param_1];\n"
    lines = "\n".join(f"\t{line}" if ":" not in line else line for line in body.split("; "))
    return (
        HEAD
        + "\n".join((arena, *declared))
        + f"\n.visible .func {returns} f(\n\t.param .b64 f_param_0,\n\t.param .b64 f_param_1\n)\n"
        + f"{{\n{registers}\n{given}{lines}\n\tret;\n\n}}\n"
    )


def found(body: str, *declared: str) -> list[AccessCheck]:
    """Return the checks of a function with this body, whose statements `; ` separates."""
    lines = unit(body, *declared).split("\n")
    (function,) = functions(lines)
    return checks(function, Addresses(function, object_sizes(lines), (STATE, 1 << 24)))


def test_an_access_through_a_pointer_is_checked() -> None:
    (check,) = found("st.u32 [%rd1+8], %r1;")
    assert (check.root, check.low, check.high, check.align, check.stores) == (
        "%rd1",
        8,
        12,
        4,
        True,
    )


def test_accesses_of_a_block_share_a_check() -> None:
    (check,) = found("ld.u32 %r1, [%rd1+4];; ld.u64 %rd3, [%rd1+16];; ld.u8 %rs1, [%rd1];")
    assert (check.low, check.high, check.align) == (0, 24, 8)


def test_what_was_read_is_not_thereby_writable() -> None:
    body = "ld.u64 %rd3, [%rd1];; @%p1 bra $A;; st.u64 [%rd1], %rd3;; $A:; ld.u8 %rs1, [%rd1];"
    loads, stores = found(body)
    assert (loads.stores, stores.stores) == (False, True)


def test_what_is_written_for_certain_is_checked_once() -> None:
    (check,) = found("ld.u64 %rd3, [%rd1];; st.u64 [%rd1+8], %rd3;")
    assert (check.low, check.high, check.stores) == (0, 16, True)


def test_a_store_that_one_check_does_not_reach_has_its_own() -> None:
    loads, stores = found(f"ld.u64 %rd3, [%rd1];; st.u64 [%rd1+{MOST}], %rd3;")
    assert (loads.stores, stores.stores) == (False, True)


def test_what_was_written_is_readable() -> None:
    assert len(found("st.u64 [%rd1], %rd2;; ld.u64 %rd3, [%rd1];")) == 1


def test_one_check_is_bounded() -> None:
    several = found(f"ld.u8 %rs1, [%rd1];; ld.u8 %rs2, [%rd1+{MOST}];")
    assert [check.high - check.low for check in several] == [1, 1]


def test_a_check_holds_on_every_way_after_it() -> None:
    body = "ld.u8 %rs1, [%rd1];; @%p1 bra $A;; ld.u8 %rs2, [%rd1];; $A:; ld.u8 %rs3, [%rd1];"
    assert len(found(body)) == 1


def test_a_check_on_one_way_is_none_on_the_other() -> None:
    body = "@%p1 bra $A;; ld.u8 %rs1, [%rd1];; $A:; ld.u8 %rs2, [%rd1];"
    assert len(found(body)) == 2


def test_a_loop_checks_its_pointer_each_turn() -> None:
    body = (
        "mov.u64 %rd5, %rd1;; $A:; ld.u8 %rs1, [%rd5];; add.s64 %rd5, %rd5, 1;; "
        "ld.u8 %rs2, [%rd2];; @%p1 bra $A;"
    )
    checked = found(body)
    assert [check.root for check in checked] == ["%rd5", "%rd2"]


def test_a_register_that_changes_is_checked_again() -> None:
    body = "mov.u64 %rd5, %rd1;; ld.u8 %rs1, [%rd5];; mov.u64 %rd5, %rd2;; ld.u8 %rs2, [%rd5];"
    assert len(found(body)) == 2


def test_distances_are_followed() -> None:
    (check,) = found("add.s64 %rd3, %rd1, 32;; ld.u8 %rs1, [%rd3+1];; ld.u8 %rs2, [%rd1+32];")
    assert (check.root, check.low, check.high) == ("%rd1", 32, 34)


@pytest.mark.parametrize(
    "body",
    [
        f"mov.u64 %rd3, {STATE + 64};; ld.local.u64 %rd4, [%rd3];",  # a field of the state
        "and.b64 %rd3, %rd1, 127;; "
        f"add.s64 %rd4, %rd3, {STATE + 64};; ld.local.u8 %rs1, [%rd4];",  # an array in the state
        "mov.u64 %rd3, table;; cvta.global.u64 %rd4, %rd3;; ld.u8 %rs1, [%rd4+3];",
        "mov.u64 %rd3, table;; and.b64 %rd4, %rd1, 15;; add.s64 %rd5, %rd3, %rd4;; "
        "ld.global.nc.u8 %rs1, [%rd5];",
        "mov.u64 %rd3, slots;; mul.lo.s32 %r1, %r2, 7;; shr.u32 %r3, %r1, 28;; "
        "mul.wide.u32 %rd4, %r3, 8;; add.s64 %rd5, %rd3, %rd4;; ld.global.nc.u64 %rd6, [%rd5];",
        "ld.const.u32 %r1, [c];; ld.param.u64 %rd3, [f_param_0];",
        # An interpreter's own state, found through the table of all.
        "ld.global.u64 %rd3, [porter_state_table];; mul.wide.u32 %rd4, %r1, 8;; "
        "add.s64 %rd5, %rd3, %rd4;; ld.u64 %rd6, [%rd5];; st.u32 [%rd6+1040], %r2;",
    ],
)
def test_what_the_compiler_declared_needs_no_check(body: str) -> None:
    slots = ".extern .global .align 8 .b8 slots[128];"
    assert found(body, ".global .align 8 .b8 table[16];", slots, ".const .align 4 .u32 c;") == []


@pytest.mark.parametrize(
    "body",
    [
        "mov.u64 %rd3, 0;; ld.u64 %rd4, [%rd3];",  # NULL
        "mov.u64 %rd3, 64;; ld.local.u64 %rd4, [%rd3];",  # below the used part of the window
        f"add.s64 %rd4, %rd1, {STATE};; ld.local.u8 %rs1, [%rd4];",  # any index
        f"and.b64 %rd3, %rd1, 1048575;; add.s64 %rd4, %rd3, {STATE};; ld.local.u8 %rs1, [%rd4];",
        "mov.u64 %rd3, table;; and.b64 %rd4, %rd1, 31;; add.s64 %rd5, %rd3, %rd4;; "
        "ld.global.nc.u8 %rs1, [%rd5];",  # an index beyond the table
        "mov.u64 %rd3, unknown;; and.b64 %rd4, %rd1, 1;; add.s64 %rd5, %rd3, %rd4;; "
        "ld.global.nc.u8 %rs1, [%rd5];",  # an extent that is not declared
        "ld.u8 %rs1, [state];; cvt.s64.s8 %rd3, %rs1;; "
        f"add.s64 %rd4, %rd3, {STATE + 512};; ld.local.u8 %rs2, [%rd4];",  # may be negative
        "ld.global.u64 %rd3, [porter_state_table];; add.s64 %rd4, %rd3, %rd1;; "
        "st.u64 [%rd4], %rd2;",  # no program's code writes to the table
        "ld.global.u64 %rd3, [porter_state_table];; add.s64 %rd4, %rd3, %rd1;; "
        "ld.u64 %rd5, [%rd4];; add.s64 %rd6, %rd5, %rd2;; ld.u8 %rs1, [%rd6];",  # any index
        "atom.add.u32 %r1, [%rd1], %r2;",
        "red.global.add.u32 [%rd1], %r2;",
        "ld.v2.u32 {%r1, %r2}, [%rd1];",
    ],
)
def test_what_nobody_declared_is_checked(body: str) -> None:
    declared = (
        ".global .align 8 .b8 table[16];",
        ".extern .global .align 8 .b8 unknown[];",
        ".global .align 8 .b8 state[16];",
    )
    assert len(found(body, *declared)) == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("@%p1 ld.u8 %rs1, [%rd1];", "under a predicate"),
        ("{ .reg .u64 at; ld.u64 at, [%rd1]; }".replace("; ", ";  "), "inside another statement"),
        ("brx.idx %r1, table;", "through a table"),
        ("ld.u64 %rd3, [%rd1+%rd2];", "cannot read"),
        ("ld.weird %rd3, [%rd1];", "cannot read"),
    ],
)
def test_what_is_not_known_is_refused(body: str, message: str) -> None:
    with pytest.raises(UnreadPtx, match=message):
        found(body.replace(";  ", " ; ") if "reg" not in body else body)


def test_an_address_in_the_window_is_no_generic_one() -> None:
    """A pointer that the compiler knows to point to local memory is checked at its use."""
    (check,) = found("cvta.to.local.u64 %rd3, %rd1;; ld.local.u64 %rd4, [%rd3+8];")
    assert (check.root, check.low, check.space) == ("%rd3", 8, "local")
    (check,) = found("cvta.local.u64 %rd3, %rd1;; ld.u64 %rd4, [%rd3];")
    assert (check.root, check.space) == ("%rd3", "")


def test_a_unit_that_does_not_say_how_arenas_lie_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "a.tmp"
    source.write_text(HEAD)
    assert main([str(source), str(tmp_path / "a.ptx"), "01234567"]) == 1
    assert not (tmp_path / "a.ptx").exists()
    assert main(["a"]) == 2


def test_a_check_names_its_place() -> None:
    body = ".loc 1 12 3; st.u32 [%rd1+8], %r1;; .loc 2 7 0; ld.u8 %rs1, [%rd2];"
    files = '\t.file 1 "upstream/1.26.1/py/objstr.c"\n\t.file 2 "/x/patched/1.26.1/py/vm.c"\n'
    made = fence(unit(body) + files, "01234567")
    (text,) = re.findall(r"porter_places_01234567\[\d+\] = \{([\d, ]+)\}", made)
    places = bytes(int(value) for value in text.split(",")).split(b"\0")
    assert places == [b"py/objstr.c:12", b"py/vm.c:7", b""]
    assert not re.search(r"^\s*\.loc\b", made, re.MULTILINE)
    assert ".file" not in made


def objects(*declared: str) -> str:
    """Return the entries of the table of a unit's own constants, for these declarations."""
    made = fence(unit("add.s64 %rd3, %rd1, %rd2;", *declared), "01234567")
    (table,) = re.findall(r"porter_objects_01234567\[\d+\] = \{(.*)\};", made)
    return str(table)


def test_a_unit_without_accesses_gets_a_table_of_its_constants_alone() -> None:
    text = unit("add.s64 %rd3, %rd1, %rd2;")
    made = fence(text, "01234567")
    assert made.startswith(text)
    table = made.removeprefix(text).strip()
    assert table.startswith(".visible .global .align 8 .u64 porter_objects_01234567[2] = {")


def test_the_table_lists_what_the_unit_defines() -> None:
    own = objects(
        ".visible .global .align 8 .b8 type[3] = {1, 2, 3};",
        ".global .align 1 .b8 $str[5] = {104, 105};",
        ".global .u32 count;",
        ".extern .global .align 8 .b8 others[16];",
        ".const .align 4 .u32 c;",
    )
    pairs = dict(re.findall(r"generic\(([\w$]+)\), (\d+)", own))
    del pairs["x_porter_fence_state"]
    assert pairs == {"type": "3", "$str": "5", "count": "4"}


@pytest.mark.parametrize("arena", [LOCAL, GLOBAL])
@pytest.mark.parametrize(
    "returns",
    [
        "",
        "(.param .b64 func_retval0)",
        "(.param .b32 func_retval0)",
        "(.param .f64 func_retval0)",
        "(.param .f32 func_retval0)",
        "(.param .align 8 .b8 func_retval0[16])",
        "(.param .align 4 .b8 func_retval0[12])",
    ],
)
def test_ptxas_takes_it(arena: str, returns: str, tmp_path: Path) -> None:
    try:
        nvcc = toolchain.nvcc().path
    except PorterError:
        pytest.skip("no nvcc")
    body = (
        "ld.u64 %rd3, [%rd1+8];; st.u16 [%rd3], %rs1;; cvta.to.local.u64 %rd4, %rd1;; "
        "st.local.u8 [%rd4], %rs1;; cvta.to.global.u64 %rd5, %rd2;; ld.global.u32 %r1, [%rd5];; "
        "st.v2.u64 [%rd2], {%rd3, %rd4};"
    )
    source = tmp_path / "a.ptx"
    source.write_text(fence(unit(body, returns=returns, arena=arena), "01234567"))
    flags = ["-arch=sm_90", "-rdc=true", "-cubin"]
    command: list[str | Path] = [nvcc, *flags, source, "-o", tmp_path / "a.cubin"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_checks_know_the_layout_of_what_they_read(tmp_path: Path) -> None:
    """The numbers in PTX are those of the headers, and of the writer of constant memory."""
    claims = {
        "offsetof(porter_ranges_t, reads)": lookup.READS,
        "offsetof(porter_ranges_t, count)": lookup.COUNT,
        "offsetof(porter_ranges_t, arena_low)": lookup.ARENA,
        "offsetof(porter_ranges_t, arena_size)": lookup.ARENA + 8,
        "offsetof(porter_ranges_t, range)": lookup.RANGES,
        "offsetof(porter_ranges_t, range) % 16": 0,
        "sizeof(porter_range_t)": lookup.RANGE,
        "offsetof(porter_ranges_t, place)": lookup.PLACE,
        "offsetof(porter_ranges_t, address)": lookup.PLACE + 8,
        "offsetof(porter_ranges_t, kind)": lookup.PLACE + 16,
        "sizeof(porter_ranges_t)": lookup.UNWIND,
        "-(long)PORTER_SEALED_BELOW": lookup.SEALED_FROM,
        "PORTER_SEALED_ABOVE": lookup.SEALED_TO,
    }
    lines = [f'static_assert({c} == {number}, "{c}");' for c, number in claims.items()]
    source = tmp_path / "claims.cpp"
    source.write_text("\n".join(["#include <stddef.h>", '#include "porter_ranges.h"', *lines]))
    include = f"-I{templates_dir() / 'runtime'}"
    command: list[str | Path] = [toolchain.gxx().path, "-fsyntax-only", include, source]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert (MOST, WINDOW) == (bounds_checks.MARGIN, bounds_checks.WINDOW)
