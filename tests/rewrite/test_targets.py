"""With bounds checks, calls through a pointer reach only functions whose address is taken."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from porter.rewrite.call_graph import call_targets, table_bits
from porter.rewrite.facts import UnitFacts

from .support import CXX_FLAGS, RUNTIME, parse, rewrite_all, run_tool, whole_program

PROGRAM = """# 1 "upstream/1.0/py/unit.c"
typedef long (*fun)(long);
unsigned long wild(int how);
static long twice(long n) { return 2 * n; }
long half(long n) { return n / 2; }
long never(long n) { return n; }
const fun table[] = {twice, half};
int program(int how) {
    fun f = how < 2 ? table[how] : (fun)wild(how);
    return (int)(*f)(42);
}
"""
HOST = """
#include "porter_runtime.h"
#include "unwind.inc"
#include <cstdio>
#include <cstdlib>
__thread porter_state_t *porter_state_current;
extern "C" int program(int how);
extern "C" long never(long);
extern "C" long half(long);
extern "C" void porter_stack_overflow(void) {}
extern "C" void porter_fence_failed(const char *place, const void *, unsigned kind) {
    std::printf("%s kind %u", place, kind);
    std::exit(7);
}
extern "C" unsigned long wild(int how) {
    const unsigned long addresses[] = {
        0, 16, (unsigned long)half + 1, (unsigned long)half + 16, (unsigned long)never, ~0ul,
    };
    return addresses[how - 2];
}
int main(int, char **words) {
    static porter_state_t state;
    porter_state_current = &state;
    porter_state_init();
    porter_setup();
    std::printf("%d", program(std::atoi(words[1])));
}
"""


@pytest.fixture(scope="module")
def fenced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the program, compiled with bounds checks."""
    folder = tmp_path_factory.mktemp("targets")
    sources = [str(path) for path in rewrite_all({"unit": PROGRAM}).write(folder)]
    (folder / "host.cpp").write_text(HOST)
    options = [*CXX_FLAGS, "-O2", "-DPORTER_BOUNDS_CHECKS=1", f"-I{folder}", f"-I{RUNTIME}"]
    run_tool(["g++", *options, *sources, "host.cpp", "-o", "program"], folder)
    return folder / "program"


@pytest.mark.parametrize(("how", "printed"), [(0, "84"), (1, "21")])
def test_functions_are_called(fenced: Path, how: int, printed: str) -> None:
    assert run_tool([str(fenced), str(how)], fenced.parent) == printed


@pytest.mark.parametrize("how", range(2, 8))
def test_nothing_else_is_called(fenced: Path, how: int) -> None:
    done = subprocess.run([fenced, str(how)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (7, "py/unit.c:9 kind 2")


def test_a_static_function_that_is_nowhere_is_no_target() -> None:
    unit = parse(
        "static int a(void); static int b(void) { return 1; } int c(void); "
        "int (*const t[])(void) = {a, b, c};"
    )
    assert whole_program(unit).targets == {"unit": ("c", "unit:b")}
    assert call_targets(UnitFacts("unit", addressed=("f", "f2"))) == ("f", "f2")


@pytest.mark.parametrize(("count", "bits"), [(0, 4), (3, 4), (4, 5), (500, 11), (512, 12)])
def test_the_table_has_four_slots_a_target(count: int, bits: int) -> None:
    targets = {"a": tuple(map(str, range(count))), "b": ("0",) if count else ()}
    assert table_bits(targets) == bits
    assert 2**bits >= 4 * count
