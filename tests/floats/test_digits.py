"""Digits of floats, against CPython's (double) and NumPy's (single)."""

from __future__ import annotations

import numpy as np
import pytest

from .native import Bits, Native
from .numbers_of_interest import numbers

PRECISIONS = [
    *(f"{n}e" for n in (0, 1, 5, 15, 16, 17, 30, 800)),
    *(f"{n}g" for n in (0, 1, 6, 15, 16, 17, 18, 50)),
    *(f"{n}f" for n in (0, 1, 2, 6, 20, 340, 1100)),
]


def expected(values: list[float], form: str) -> bytes:
    return "".join(f"{form}\n" % value for value in values).encode()


def agree(got: bytes, want: bytes) -> None:
    """Assert that got == want, without pytest's diff, which takes minutes for millions of lines."""
    if got != want:
        pairs = zip(got.split(b"\n"), want.split(b"\n"), strict=True)
        wrong = [pair for pair in pairs if pair[0] != pair[1]]
        pytest.fail(f"{len(wrong)} differ: {wrong[:5]}")


def check_repr(native: Native, bits: Bits) -> None:
    values = bits.view(np.float64).tolist()
    lines = native.lines(bits, "r", point=True)
    agree(lines, expected(values, "%r"))
    assert (native.read(lines.decode().split()) == bits).all()


def test_repr(double: Native) -> None:
    check_repr(double, numbers(double.width, 100_000, 1))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_precision(double: Native, precision: str) -> None:
    digits, style = int(precision[:-1]), precision[-1]
    bits = numbers(double.width, 20_000 // (1 + digits // 10), 2)[:: 1 + digits // 10]
    values = bits.view(np.float64).tolist()
    agree(double.lines(bits, style, digits), expected(values, f"%.{digits}{style}"))


def test_precision_without_a_letter(double: Native) -> None:
    bits = numbers(double.width, 10_000, 3)
    for digits in (1, 3, 17):
        want = "".join(f"{value:.{digits}}\n" for value in bits.view(np.float64).tolist())
        agree(double.lines(bits, "g", digits, point=True), want.encode())


def test_zero(double: Native) -> None:
    zero = np.zeros(1, np.uint64)
    for form in ("%.0e", "%.2e", "%.0f", "%.3f", "%.5g"):
        assert double.lines(zero, form[-1], int(form[2])) == f"{form}\n".encode() % 0
    assert double.lines(zero, "r", point=True) == b"0.0\n"


def test_single(single: Native) -> None:
    bits = numbers(single.width, 50_000, 4)
    values = bits.astype(np.uint32).view(np.float32)
    lines = single.lines(bits, "r", point=True)
    for line, value in zip(lines.decode().split(), values, strict=True):
        shortest = np.format_float_scientific(value, unique=True, trim="-")
        # Of two equally short and equally near texts NumPy selects another one.
        assert float(line) == float(shortest) or len(line) <= len(shortest)
        assert np.float32(line) == value
    assert (single.read(lines.decode().split()) == bits).all()
    agree(single.lines(bits, "e", 12), expected(values.astype(float).tolist(), "%.12e"))


@pytest.mark.campaign("printed-doubles")
def test_twenty_million_doubles(double: Native) -> None:
    for seed in range(10, 20):
        bits = numbers(double.width, 1_000_000, seed)
        check_repr(double, bits)
        values = bits.view(np.float64).tolist()
        for digits, style in ((16, "e"), (6, "g"), (17, "g")):
            agree(double.lines(bits, style, digits), expected(values, f"%.{digits}{style}"))
