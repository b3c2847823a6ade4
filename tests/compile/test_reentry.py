"""A function that calls itself has convergence barriers in SASS (rule `reentry`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.compile.cubin_checks import barriers
from tests.rewrite.support import RUNTIME, has_nvcc, rewrite_all, run_tool

SOURCE = """
int outside(int *p, int n);
int walk(int *p, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (p[i] > 3) {
            sum += outside(p, i);
        } else if (p[i] < -2) {
            sum ^= outside(p, i + 1);
        }
        sum += p[i];
    }
    if (n > 2 && p[0]) {
        sum += walk(p + 1, n - 1);
    }
    return sum & 1 ? sum + outside(p, sum) : sum;
}
"""


@pytest.mark.skipif(not has_nvcc(), reason="no nvcc")
@pytest.mark.parametrize("through_another", [True, False])
def test_barriers_where_a_function_calls_itself(tmp_path: Path, through_another: bool) -> None:
    rewrite_all({"unit": SOURCE}).write(tmp_path)
    unit = tmp_path / "unit.cpp"
    if not through_another:  # otherwise the rule is not needed any more
        unit.write_text(unit.read_text().replace("PORTER_REENTER(walk)", "walk"))
    sizes = [f"-DPORTER_{name}=4096" for name in ("HEAP_BYTES", "PYSTACK_BYTES", "STACK_BYTES")]
    options = [
        "-DPORTER_ARENA_LOCAL=1",
        "-DPORTER_STACK_SLACK=4096",
        *sizes,
        "-DPORTER_BOUNDS_CHECKS=0",
    ]
    options += [f"-include={RUNTIME}/porter_ranges.h", f"-I{RUNTIME}", f"-I{tmp_path}"]
    command = ["nvcc", "-std=c++17", "-x=cu", "-rdc=true", "-arch=sm_90", "-O3", "-cubin", *options]
    run_tool([*command, str(unit), "-o", "unit.cubin"], tmp_path)
    found = barriers(tmp_path / "unit.cubin")["walk"]
    assert found.branches > 6  # three calls' checks, the stack's, the loop's and the conditions
    assert (found.regions > 2) is through_another
