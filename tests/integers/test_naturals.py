"""Digits of 32 bits: products, quotients and powers are exact, for all carries."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest

from .native import Native

BASE = 1 << 32
# Digits that propagate carries, make estimates one too large, or are extremes for inverses.
EDGES = [0, 1, 2, 3, BASE - 1, BASE - 2, BASE // 2, BASE // 2 - 1, BASE // 2 + 1, 0x55555555]


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Native:
    return Native(tmp_path_factory.mktemp("natural"))


def number(digits: tuple[int, ...]) -> int:
    return sum(digit << 32 * i for i, digit in enumerate(digits))


def any_numbers(count: int) -> Iterator[int]:
    """Numbers of some dozen digits; half of them have digits of EDGES, in long runs too."""
    choose = random.Random(1)
    for _ in range(count):
        length = choose.choice((1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 18, 33, 40))
        if choose.random() < 0.5:
            yield choose.getrandbits(32 * length - choose.randrange(32)) | 1 << 32 * (length - 1)
        else:
            few = choose.choices(EDGES, k=2)
            yield number((*choose.choices(few, k=length - 1), choose.choice(EDGES) or 1))


def test_quotients_of_all_edges(native: Native) -> None:
    wrong = [
        (a, b)
        for lengths in ((2, 1), (3, 2))
        for a in map(number, product(EDGES, repeat=lengths[0]))
        for b in map(number, product(EDGES, repeat=lengths[1]))
        if b >> 32 * (lengths[1] - 1) and native.divide(a, b) != divmod(a, b)
    ]
    assert wrong == []


# These divisors make the estimate of a digit one too large: their third digit is large.
@pytest.mark.parametrize("length", [3, 4, 5, 9])
def test_a_divisor_that_is_subtracted_once_too_often(native: Native, length: int) -> None:
    for top in (BASE // 2, BASE // 2 + 1, BASE - 1, 1, 3):
        b = number((BASE - 1,) * (length - 2) + (0, top))
        for quotient in (BASE - 1, BASE - 2, BASE // 2, 1):
            for less in (1, 2, BASE, BASE**2):
                a = quotient * b + b - less
                assert native.divide(a, b) == divmod(a, b)
                a = quotient * b - less
                assert native.divide(a, b) == divmod(a, b)


def test_products_and_quotients(native: Native) -> None:
    numbers = any_numbers(3000)
    for a, b in zip(numbers, numbers, strict=True):
        assert native.multiply(a, b) == a * b
        assert native.square(a) == a * a
        for x in (a, a * b, a * b - 1, a * b + b - 1):
            assert native.divide(x, b) == divmod(x, b)
        digit = b % BASE or 7
        assert native.divide_by_digit(a, digit) == divmod(a, digit)


def test_powers(native: Native) -> None:
    numbers = any_numbers(600)
    for base, modulus in zip(numbers, numbers, strict=True):
        length = (modulus.bit_length() + 31) // 32
        base %= 1 << 32 * length  # it need not be below the modulus
        for exponent in (1, 2, 3, 65537, base % 2**75 | 1 << 74):
            for window in (1, 2, 3, 4):
                assert native.power(base, exponent, modulus, window) == pow(base, exponent, modulus)


def test_a_power_that_is_0_or_the_modulus_less_1(native: Native) -> None:
    for modulus in (
        1,
        2,
        3,
        BASE - 1,
        BASE,
        BASE + 1,
        BASE**4 - 1,
        BASE**4 + BASE**2,
        BASE**17 - 3,
    ):
        for base in (0, 1, modulus - 1, modulus - modulus % 3):
            for exponent in (1, 2, 7, BASE, BASE**3 - 1):
                assert native.power(base, exponent, modulus, 3) == pow(base, exponent, modulus)


def test_long_rows_let_others_run(native: Native) -> None:
    short, long = (1 << 32 * 500) - 3, (1 << 32 * 4096) - 5
    native.yields()
    native.multiply(short, short)
    native.square(short)
    native.divide(short * 7, short)
    assert native.yields() == 0
    assert native.multiply(long, short) == long * short
    assert native.yields() >= 500 * 7  # a row has 4,096 digits, a stretch 512
    assert native.square(long) == long * long
    assert native.yields() >= 4096 // 512
    assert native.divide(long * short, long) == divmod(long * short, long)
    assert native.yields() >= 500 * 7
