"""The replacements in nvcc's PTX."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from porter.compile import ptx
from porter.errors import ToolMissing
from porter.toolchain import cuda_tool

BEFORE = """\
.extern .global .align 8 .b8 mp_type[112];
.extern .global .align 8 .b8 mp_open[];
.global .align 8 .b8 __nv_static_43__0123abcd_21_unit_cpp_89abcdef_table[16];
.func _ZN39_INTERNAL_0123abcd_9_py_vm_cpp_e6e1754015slice()
call _ZN39_INTERNAL_0123abcd_9_py_vm_cpp_e6e1754015slice;
	neg.s64 	%rd2, %rd1;
	neg.s64 	%rd2, %rd2;
	abs.s64 	%rd3, %rd1;
	neg.f64 	%fd2, %fd1;
	abs.f64 	%fd3, %fd1;
	neg.f32 	%f2, %f1;
	abs.f32 	%f3, %f1;
	neg.s32 	%r2, %r1;
"""
AFTER = """\
.extern .global .align 8 .b8 mp_type[];
.extern .global .align 8 .b8 mp_open[];
.global .align 8 .b8 __nv_static_43__7777eeee_21_unit_cpp_89abcdef_table[16];
.func _ZN39_INTERNAL_7777eeee_9_py_vm_cpp_e6e1754015slice()
call _ZN39_INTERNAL_7777eeee_9_py_vm_cpp_e6e1754015slice;
	{ .reg .b64 %bits; not.b64 %bits, %rd1; add.s64 %rd2, %bits, 1; }
	{ .reg .b64 %bits; not.b64 %bits, %rd2; add.s64 %rd2, %bits, 1; }
	{ .reg .b64 %bits; not.b64 %bits, %rd1; add.s64 %bits, %bits, 1; max.s64 %rd3, %bits, %rd1; }
	{ .reg .b64 %bits; mov.b64 %bits, %fd1; xor.b64 %bits, %bits, SIGN_64; mov.b64 %fd2, %bits; }
	{ .reg .b64 %bits; mov.b64 %bits, %fd1; and.b64 %bits, %bits, REST_64; mov.b64 %fd3, %bits; }
	{ .reg .b32 %bits; mov.b32 %bits, %f1; xor.b32 %bits, %bits, 0x80000000; mov.b32 %f2, %bits; }
	{ .reg .b32 %bits; mov.b32 %bits, %f1; and.b32 %bits, %bits, 0x7fffffff; mov.b32 %f3, %bits; }
	neg.s32 	%r2, %r1;
""".replace("SIGN_64", "0x8000000000000000").replace("REST_64", "0x7fffffffffffffff")
# A loop with a call; the loop's end compares a value that it reads after the call.
LOOP = """.version 9.0
.target sm_90
.address_size 64
.extern .func (.param .b32 func_retval0) other(.param .b64 other_param_0);
.visible .func loop(.param .b64 loop_param_0, .param .b64 loop_param_1)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<5>;
	.reg .f32 	%f<4>;
	.reg .f64 	%fd<4>;
	.reg .b64 	%rd<6>;
	ld.param.u64 	%rd1, [loop_param_0];
	ld.param.u64 	%rd2, [loop_param_1];
	mov.u64 	%rd3, 6;
$again:
	{
	.param .b64 param0;
	st.param.b64 	[param0+0], %rd2;
	.param .b32 retval0;
	call.uni (retval0), other, (param0);
	ld.param.b32 	%r1, [retval0+0];
	}
	add.s64 	%rd2, %rd2, 1;
	add.s64 	%rd3, %rd3, -1;
	COMPARE
	@%p1 bra 	$again;
	st.u32 	[%rd2], %r1;
	ret;
}
"""
COMPARISONS = {
    "neg.s64": "ld.u64 \t%rd4, [%rd1];\n\tneg.s64 \t%rd5, %rd4;\n\tsetp.gt.s64 \t%p1, %rd3, %rd5;",
    "abs.s64": "ld.u64 \t%rd4, [%rd1];\n\tabs.s64 \t%rd5, %rd4;\n\tsetp.gt.s64 \t%p1, %rd3, %rd5;",
    "neg.f64": "ld.f64 \t%fd1, [%rd1];\n\tneg.f64 \t%fd2, %fd1;\n\tcvt.rn.f64.s64 \t%fd3, %rd3;\n"
    "\tsetp.gt.f64 \t%p1, %fd3, %fd2;",
    "abs.f64": "ld.f64 \t%fd1, [%rd1];\n\tabs.f64 \t%fd2, %fd1;\n\tcvt.rn.f64.s64 \t%fd3, %rd3;\n"
    "\tsetp.gt.f64 \t%p1, %fd3, %fd2;",
    "neg.f32": "ld.f32 \t%f1, [%rd1];\n\tneg.f32 \t%f2, %f1;\n\tcvt.rn.f32.s64 \t%f3, %rd3;\n"
    "\tsetp.gt.f32 \t%p1, %f3, %f2;",
    "abs.f32": "ld.f32 \t%f1, [%rd1];\n\tabs.f32 \t%f2, %f1;\n\tcvt.rn.f32.s64 \t%f3, %rd3;\n"
    "\tsetp.gt.f32 \t%p1, %f3, %f2;",
}


def step(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Apply the replacements to a file, like the build."""
    command = [sys.executable, "-IS", ptx.__file__, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_all_places_are_changed() -> None:
    assert ptx.rewrite(BEFORE, "7777eeee") == AFTER
    assert ptx.rewrite(AFTER, "7777eeee") == AFTER


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("_INTERNAL_0123abcd_9", "_INTERNAL_0123abcd01_9", "names of internal linkage: 2 places"),
        ("43__0123abcd_21", "43__0123ABCD_21", "names of static variables: 1 places"),
        ("mp_type[112];", "mp$type[112];", "sizes of external arrays: 1 places"),
    ],
)
def test_a_place_that_looks_otherwise_is_said(old: str, new: str, name: str) -> None:
    with pytest.raises(ptx.UnknownPtx, match=name + ", of which [01] look as expected"):
        ptx.rewrite(BEFORE.replace(old, new, 1), "7777eeee")


def test_as_a_step(tmp_path: Path) -> None:
    made, out = tmp_path / "a.tmp", tmp_path / "a.ptx"
    made.write_bytes(BEFORE.encode() + b"// \xff\r\n")
    done = step(made, out, "7777eeee")
    assert (done.returncode, done.stderr, made.exists()) == (0, "", False)
    assert out.read_bytes() == AFTER.encode() + b"// \xff\r\n"


def test_a_step_that_fails_leaves_no_output(tmp_path: Path) -> None:
    made, out = tmp_path / "a.tmp", tmp_path / "a.ptx"
    made.write_text(BEFORE.replace("abcd_9", "xyz_9"))
    done = step(made, out, "7777eeee")
    assert (done.returncode, out.exists()) == (1, False)
    assert f"{out}: names of internal linkage" in done.stderr
    assert step(made, out, "no").returncode == 2


def machine_code(text: str, folder: Path) -> str:
    """Return PTX as ptxas compiles it, disassembled."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc here")
    try:
        disassembler = cuda_tool("nvdisasm").path
    except ToolMissing:
        pytest.skip("no nvdisasm here")
    unit, cubin = folder / "unit.ptx", folder / "unit.cubin"
    unit.write_text(text)
    subprocess.run([nvcc, "-arch=sm_90", "-rdc=true", "-cubin", unit, "-o", cubin], check=True)
    return subprocess.run(
        [disassembler, "-c", cubin], check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize("operation", COMPARISONS)
def test_a_comparison_stays_behind_what_it_compares(operation: str, tmp_path: Path) -> None:
    text = LOOP.replace("COMPARE", COMPARISONS[operation])
    code = machine_code(ptx.rewrite(text, "7777eeee"), tmp_path)
    _, _, loop = code.partition(".text.loop:")
    before, call, after = loop.partition("CALL")
    assert call
    # A predicate that is known before the call would stay in a register across it (P2R).
    assert "SETP" not in before and "P2R" not in before
    assert re.search(r"SETP.*\n(?:.*\n)*?.*@.*BRA", after)
