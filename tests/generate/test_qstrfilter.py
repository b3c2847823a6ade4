"""The table that rules out qstrs never rules out a string that is one."""

from __future__ import annotations

import pytest

from porter.errors import GenerateFailed
from porter.generate.genhdr import FILTER_BITS as BITS
from porter.generate.genhdr import filter_header
from porter.pipeline import Build
from porter.run import open_device, run

GENERATED = """\
QDEF0(MP_QSTRnull, 0, 0, "")
QDEF0(MP_QSTR_dir, 33, 3, "dir")
QDEF1(MP_QSTR_abs, 20000, 3, "abs")
"""


def bits(header: str) -> set[int]:
    words = [int(word.rstrip("u,"), 16) for word in header.split() if word.startswith("0x")]
    assert len(words) * 32 == BITS
    return {32 * at + bit for at, word in enumerate(words) for bit in range(32) if word >> bit & 1}


def test_bits() -> None:
    assert bits(filter_header(GENERATED)) == {0, 33, 20000 % BITS}


def test_a_header_without_qstrs() -> None:
    with pytest.raises(GenerateFailed, match="QDEF"):
        filter_header("enum { nothing };")


def test_strings_find_their_qstrs(built: Build) -> None:
    """A string made by a program is the qstr of an equal constant, if there is one."""
    program = (
        "words = ['append', 'print', '__init__', 'threadIdx', 'x' * 30, 'no such', 'maximum']\n"
        "for word in words:\n"
        "    made = ''.join([letter for letter in word])\n"
        "    print(made == word, hasattr([], made), {word: 1}[made])\n"
    )
    result = run(open_device(built.folder, "host"), [program], 1)
    lines = result.stdout[0].decode().splitlines()
    assert lines == ["True True 1"] + ["True False 1"] * 6
