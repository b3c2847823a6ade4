"""The table of ranges alone: adjacent ranges, a full table, dropped ranges."""

from __future__ import annotations

import subprocess
from pathlib import Path

from porter import toolchain
from porter.base.paths import templates_dir

STATE = """\
#include "porter_ranges.h"
typedef struct porter_state_t {
    porter_ranges_t porter_ranges;
    const void *porter_unwind;
    int porter_unwind_value;
    unsigned int porter_sandbox;
    const void *porter_stack_limit;
    unsigned int porter_polled;
    unsigned int porter_released;
} porter_state_t;
"""


def test_tables(tmp_path: Path) -> None:
    (tmp_path / "porter_state.h").write_text(STATE)
    program = tmp_path / "ranges"
    source = Path(__file__).with_name("ranges.cpp")
    options = ["-std=gnu++17", "-DPORTER_BOUNDS_CHECKS=1", "-fsanitize=undefined", f"-I{tmp_path}"]
    options += [f"-I{templates_dir() / 'runtime'}", "-ftls-model=initial-exec", "-w"]
    subprocess.run([toolchain.gxx().path, *options, source, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    end = 2**64 - 5
    assert done.stdout.splitlines() == [
        f"added: r1000+10 r3000+10 r{end}+4 w2000+15",
        "begun:",
        "forgotten: 1",
        "first: 0",
        "23 24 25",
        "kept: r300+50 r500+8 w100+50",
        "compiling: r300+50 w100+50 w500+8",
        "dropped: r500+8 w130+20 w100+20",
        "12 kept, to 23910",
    ]
