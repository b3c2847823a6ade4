"""Source places of bounds checks in a library, from the output of objdump and addr2line."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.compile.check_locations import calls, main, place
from porter.compile.flags import VARIANTS, check_variant, host_compile, nvcc_front
from porter.config import BuildConfig
from porter.errors import UsageError

DISASSEMBLY = """\
0000000000001230 <f>:
    1230:\tpush   %rbx
    1231:\tcall   bc7f0 <__asan_load8_noabort>
    1236:\tmov    (%rbx),%rax
    1239:\tcall   bc7f0 <__asan_handle_no_return>
    123e:\tcall   9000 <mp_raise>
    1243:\tcall   bc870 <__asan_storeN_noabort@plt>
    1248:\tret
    1249:\tcall   bc7f0 <__asan_load8_noabort>
    124e:\tjmp    1236 <f+0x6>

0000000000001250 <g>:
    1250:\tret
"""


def test_calls_of_checks_and_what_follows() -> None:
    assert list(calls(DISASSEMBLY.splitlines())) == [
        (0x1231, 0x1236),
        (0x1243, 0x1248),
        (0x1235, 0x124E),  # within the instruction that ends where the jump goes
    ]


def test_places_are_named_as_their_project_names_them(tmp_path: Path) -> None:
    (tmp_path / "py_objlist.cpp").write_text('// x\n#line 0 "upstream/1.26.1/py/objlist.c"\n')
    for frames, wanted in (
        (["./host-fenced/upstream/1.26.1/py/objstr.c:12"], "py/objstr.c:12"),
        (["./host-fenced/patched/1.28.0/py/vm.c:7 (discriminator 3)"], "py/vm.c:7"),
        (["./host-fenced/port/stdio.c:9"], "port/stdio.c:9"),
        (["./x/templates/runtime/porter_runtime.h:5", "./x/libc/string.c:3"], "libc/string.c:3"),
        (["./x/templates/runtime/porter_runtime.h:5"], "templates/runtime/porter_runtime.h:5"),
        (["./host-fenced/./cxx/py_objlist.cpp:173"], "py/objlist.c:173"),
        (["./host-fenced/./cxx/py_lost.cpp:1"], "py_lost.cpp:1"),
        (["??:?"], "??:?"),
    ):
        assert place(frames, tmp_path) == wanted


def test_a_library_that_cannot_be_read_has_an_empty_list(tmp_path: Path) -> None:
    out = tmp_path / "places"
    assert main([str(tmp_path / "none.so"), str(tmp_path), str(out)]) == 0
    assert out.read_text() == "\n"
    assert main(["one"]) == 2


def test_fences_are_in_both_compilers_options() -> None:
    config = BuildConfig(release="1.26.1", bounds_checks=True)
    assert "-DPORTER_BOUNDS_CHECKS=1" in nvcc_front(config)
    assert "-DPORTER_BOUNDS_CHECKS=1" in host_compile(VARIANTS["release"], True)
    assert "-DPORTER_BOUNDS_CHECKS=0" in host_compile(VARIANTS["release"])


def test_fences_and_a_sanitizer_are_refused() -> None:
    check_variant("debug", True)
    check_variant("asan", False)
    with pytest.raises(UsageError, match="variant asan has checks of its own"):
        check_variant("asan", True)
