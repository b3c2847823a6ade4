"""Numbers that are read, against rational arithmetic and CPython."""

from __future__ import annotations

import numpy as np
import pytest

from .native import Native
from .numbers_of_interest import nearest, texts


def check_double(native: Native, lines: list[str]) -> None:
    got = native.read(lines).view(np.float64).tolist()
    wrong = [
        (line, one, float(line)) for line, one in zip(lines, got, strict=True) if one != float(line)
    ]
    assert not wrong, f"{len(wrong)} of {len(lines)}: {wrong[:3]}"


def test_double(double: Native) -> None:
    check_double(double, texts(double.width, 20_000, 5))


def test_rational_arithmetic_is_as_cpython_reads(double: Native) -> None:
    for line in texts(double.width, 400, 6)[::9]:
        assert nearest(line, double.width) == int(np.float64(line).view(np.uint64)), line


def test_single(single: Native) -> None:
    lines = texts(single.width, 3_000, 7)
    got = single.read(lines).tolist()
    wrong = [
        line for line, bits in zip(lines, got, strict=True) if bits != nearest(line, single.width)
    ]
    assert not wrong, f"{len(wrong)} of {len(lines)}: {wrong[:3]}"


@pytest.mark.campaign("printed-doubles")
def test_double_with_many_texts(double: Native) -> None:
    for seed in range(30, 36):
        check_double(double, texts(double.width, 400_000, seed))
