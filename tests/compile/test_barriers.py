"""Counting of convergence barriers in SASS."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from porter.compile.cubin_checks import Barriers, barriers, count
from porter.errors import VerifyFailed

BSSY, BSYNC, BREAK, BRA, BRX, WARPSYNC = 0x7945, 0x7941, 0x0942, 0x7947, 0x7949, 0x7948
YIELD = 0x7946
SAVE_B0, SAVE_B9 = 0x0017355, 0x9167355
BRA_IF_P0 = 0x0947


def code(*opcodes: int) -> bytes:
    return b"".join(struct.pack("<QQ", opcode, 0) for opcode in opcodes)


def test_regions_and_branches() -> None:
    opcodes = (BSSY, BRA_IF_P0, BREAK, BRA, BSYNC, BRX, WARPSYNC, YIELD, 0x7950, SAVE_B0, SAVE_B9)
    assert count(code(*opcodes)) == Barriers(
        branches=2,
        regions=1,
        breaks=1,
        warpsyncs=1,
        yields=1,
        instructions=11,
        saved=frozenset({9}),
    )


def test_a_rest_is_no_instruction() -> None:
    assert count(code(BSSY) + b"\x45\x79").instructions == 1


def test_what_is_no_cubin_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.cubin").write_text("x")
    for name in ("x.cubin", "none.cubin"):
        with pytest.raises(VerifyFailed, match=name):
            barriers(tmp_path / name)
