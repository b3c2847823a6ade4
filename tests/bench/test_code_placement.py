"""Functions of a cubin are found at the addresses of a report."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from porter.compile.object_files import ElfProblem, device_code
from porter.errors import ToolMissing
from porter.toolchain import cuda_tool
from porter_dev.bench.code_blocks import CodeBlocks
from porter_dev.bench.code_placement import Placement, place
from porter_dev.bench.instruction_counts import InstructionCount
from tests.bench.small_cubin import (
    RETURN,
    TRAP_BEFORE,
    SmallFunction,
    branch,
    branch_before,
    ran,
    small_code,
)

LEAF = SmallFunction("leaf")
TWIN = SmallFunction("twin")
LOOP = SmallFunction("loop", (0, 0, 0, branch(-3), 0, RETURN))
SKIP = SmallFunction("skip", (0, branch(2), 0, 0, 0, RETURN))
CALLER = SmallFunction("caller", (0, 0, 0, 0, 0, 0, 0, 0, 0, RETURN), {3: "leaf", 6: "twin"})


def names(placement: Placement) -> list[list[str]]:
    return [[placement.code.functions[i].name for i in run.candidates] for run in placement.runs]


def test_functions_and_calls_of_a_cubin(tmp_path: Path) -> None:
    code = small_code(tmp_path, [LEAF, TWIN, CALLER], addressed=["twin"], tables=b"table")
    leaf, twin, caller = code.functions
    assert [function.name for function in code.functions] == ["leaf", "twin", "caller"]
    assert (leaf.code, leaf.calls, leaf.addressed) == (LEAF.code, {}, False)
    assert twin.addressed
    assert caller.calls == {3 * 16: 0, 6 * 16: 1}
    assert not caller.addressed  # the address to which a callee returns is no pointer
    assert code.tables == b"table"


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF" + bytes(200), b"text" * 99])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.cubin"
    path.write_bytes(content)
    with pytest.raises(ElfProblem, match="not a 64-bit ELF file"):
        device_code(path)


def test_a_truncated_cubin_is_refused(tmp_path: Path) -> None:
    small_code(tmp_path, [LEAF, TWIN, CALLER])
    path = tmp_path / "small.cubin"
    whole = path.read_bytes()
    for size in range(16, len(whole), 97):
        path.write_bytes(whole[:size])
        with pytest.raises(ElfProblem):
            device_code(path)


def test_blocks_start_at_targets_and_after_branches() -> None:
    assert CodeBlocks(LEAF.code).starts == {0, 3, 4}
    assert CodeBlocks(LOOP.code).starts == {0, 1, 4, 6, 7}
    assert CodeBlocks(SKIP.code).starts == {0, 2, 4, 6, 7}
    assert CodeBlocks(LEAF.code).trap == 3


def test_branches_of_older_gpus_count_bytes() -> None:
    loop = SmallFunction("loop", (0, 0, 0, branch_before(-3), 0, RETURN), trap=TRAP_BEFORE)
    skip = SmallFunction("skip", (0, branch_before(2), 0, 0, 0, RETURN), trap=TRAP_BEFORE)
    assert CodeBlocks(loop.code).starts == {0, 1, 4, 6, 7}
    assert CodeBlocks(skip.code).starts == {0, 2, 4, 6, 7}


def test_tables_of_indexed_branches_start_blocks() -> None:
    switch = SmallFunction("switch", (0, 0x949, 0, 0, 0, 0, RETURN))
    tables = struct.pack("<5I", 3 * 16, 5 * 16, 7, 8000, 0) + b"x"
    assert CodeBlocks(switch.code, tables).starts == {0, 2, 3, 5, 7}
    assert CodeBlocks(LEAF.code, tables).starts == {0, 3, 4}


def test_size_and_blocks_tell_functions_apart(tmp_path: Path) -> None:
    code = small_code(tmp_path, [LEAF, LOOP, SKIP])
    counts = ran(SKIP, 0x9000, [5, 5, 2, 2, 5]) + ran(LOOP, 0xA000, [5, 9, 9, 9, 5])
    found = place(counts, code)
    assert names(found) == [["skip"], ["loop"]]
    assert found.matched == 1
    # Counts that change within the blocks of both are counts of neither.
    assert names(place(ran(SKIP, 0x9000, [5, 4, 3, 2, 1, 0]), code)) == [[]]


def test_calls_tell_functions_apart(tmp_path: Path) -> None:
    code = small_code(tmp_path, [LEAF, TWIN, CALLER])
    caller = ran(CALLER, 0x9000, [2, 2, 2, 2, 3, 3, 3, 4])
    counts = caller + ran(LEAF, 0xA000, [3]) + ran(TWIN, 0xB000, [2])
    found = place(counts, code)
    assert names(found) == [["caller"], ["twin"], ["leaf"]]
    assert sorted(found.call_sums()) == [(2, 0, False), (2, 2, False), (3, 3, False)]
    assert found.matched == 1


def test_a_called_function_is_somewhere(tmp_path: Path) -> None:
    # Both callers have the same shape; the function that the second one calls did not run.
    first = SmallFunction("first", (0, 0, 0, 0, 0, RETURN), {3: "leaf"})
    second = SmallFunction("second", (0, 0, 0, 0, 0, RETURN), {3: "loop"})
    code = small_code(tmp_path, [first, second, LEAF, LOOP], addressed=["first", "second"])
    found = place(ran(first, 0x9000, [2]) + ran(LEAF, 0xA000, [2]), code)
    assert names(found) == [["first"], ["leaf"]]


def test_equal_functions_are_not_guessed(tmp_path: Path) -> None:
    code = small_code(tmp_path, [LEAF, TWIN, LOOP], addressed=["leaf", "twin"])
    found = place(ran(LEAF, 0x9000, [6]) + ran(LOOP, 0xA000, [1, 2, 2, 2, 1]), code)
    assert names(found) == [["leaf", "twin"], ["loop"]]
    assert [run.function for run in found.runs] == [None, 2]
    assert found.matched == pytest.approx(9 / 27)


def test_functions_of_other_code_are_not_matched(tmp_path: Path) -> None:
    code = small_code(tmp_path, [LEAF])
    other = [InstructionCount(0x9000 + 16 * i, 7, 0) for i in range(40)]
    assert place(other, code).matched == 0
    assert names(place(other, code)) == [[]]
    assert place([], code).matched == 0


def test_a_kernel_ends_before_its_trap(tmp_path: Path) -> None:
    code = small_code(tmp_path, [LEAF, LOOP])
    counts = [InstructionCount(0x9000 + 16 * i, 7, 0) for i in range(3)]
    assert names(place(counts, code)) == [["leaf"]]


PTX = """.version 7.8
.target sm_80
.address_size 64
.func (.param .b32 result) step(.param .b32 from)
{
	.reg .b32 %r<6>;
	.reg .pred %p<3>;
	ld.param.u32 %r1, [from];
	mov.u32 %r2, 0;
again:
	mul.lo.u32 %r1, %r1, %r1;
	xor.b32 %r1, %r1, %r2;
	add.u32 %r2, %r2, 1;
	setp.ne.u32 %p1, %r1, 77;
	@%p1 bra again;
	st.param.b32 [result], %r2;
	ret;
}
.visible .entry main(.param .u64 out)
{
	.reg .b32 %r<6>;
	.reg .b64 %rd<3>;
	.reg .pred %p<3>;
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 1;
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra even;
	{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), step, (a); ld.param.b32 %r1, [b]; }
even:
	ld.param.u64 %rd1, [out];
	st.global.u32 [%rd1], %r1;
	ret;
}
"""  # noqa: E501


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_blocks_are_those_of_cuobjdump(architecture: str, tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc here")
    try:
        dump = cuda_tool("cuobjdump").path
    except ToolMissing:
        pytest.skip("no cuobjdump here")
    source, cubin = tmp_path / "unit.ptx", tmp_path / "unit.cubin"
    source.write_text(PTX.replace("sm_80", architecture))
    subprocess.run([nvcc, f"-arch={architecture}", "-cubin", source, "-o", cubin], check=True)
    listing = subprocess.run([dump, "-sass", cubin], check=True, capture_output=True, text=True)
    instruction = re.compile(r"/\*(\w{4})\*/ +(?:@!?U?P\d )?(?:BRA|BSSY)\b.*?(0x\w+) *;")
    _, *parts = re.split(r"Function : (\w+)", listing.stdout)
    shown = dict(zip(parts[::2], parts[1::2], strict=True))
    found = 0
    for function in device_code(cubin).functions:
        blocks = CodeBlocks(function.code)
        branches = [
            (int(at, 16), int(to, 16)) for at, to in instruction.findall(shown[function.name])
        ]
        assert [at for at, to in branches if at == to] == [16 * (blocks.trap or 0)]
        assert {to // 16 for at, to in branches if at != to} <= blocks.starts
        found += len(branches)
    assert found > 3
