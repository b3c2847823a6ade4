"""The step that makes PTX depend on its unit alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from porter.compile import ptx

BEFORE = """\
.extern .global .align 8 .b8 mp_type[112];
.extern .global .align 8 .b8 mp_open[];
.global .align 8 .b8 __nv_static_43__0123abcd_21_unit_cpp_89abcdef_table[16];
.func _ZN39_INTERNAL_0123abcd_9_py_vm_cpp_e6e1754015slice()
call _ZN39_INTERNAL_0123abcd_9_py_vm_cpp_e6e1754015slice;
"""
AFTER = """\
.extern .global .align 8 .b8 mp_type[];
.extern .global .align 8 .b8 mp_open[];
.global .align 8 .b8 __nv_static_43__7777eeee_21_unit_cpp_89abcdef_table[16];
.func _ZN39_INTERNAL_7777eeee_9_py_vm_cpp_e6e1754015slice()
call _ZN39_INTERNAL_7777eeee_9_py_vm_cpp_e6e1754015slice;
"""


def step(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the file as the build does."""
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
