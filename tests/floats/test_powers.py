"""The powers of ten, and the logarithms in the C code, against exact ones."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest

from porter.base import paths
from porter.generate.port import BITS, powers_of_ten

HEADER = paths.templates_dir() / "port" / "decimal.h"


def floor_log(value: Fraction, base: int) -> int:
    power = int((math.log2(value.numerator) - math.log2(value.denominator)) / math.log2(base))
    while Fraction(base) ** (power + 1) <= value:
        power += 1
    while Fraction(base) ** power > value:
        power -= 1
    return power


def header_log(name: str, power: int) -> int:
    """Return the result of the header's function `name`."""
    found = re.search(rf"{name}\(int power\) {{\s*return (.*?);", HEADER.read_text())
    assert found
    return int(eval(found[1], {"power": power}))


@pytest.mark.parametrize("width", ["double", "single"])
def test_powers_of_ten(width: str) -> None:
    powers = powers_of_ten(width)
    for power, bits in enumerate(powers.significands, powers.first):
        assert bits.bit_length() == BITS
        # The C code adds 1 to the low half.
        assert bits % 2**64 != 2**64 - 1
        exact = Fraction(10) ** power / Fraction(2) ** (floor_log(Fraction(10) ** power, 2) - 127)
        assert bits <= exact < bits + 1
        assert (bits == exact) == (0 <= power <= 55)


@pytest.mark.parametrize(
    ("name", "factor", "base", "of"),
    [
        ("gpusnek_log2_of_ten", 1, 2, 10),
        ("gpusnek_log10_of_two", 1, 10, 2),
        ("gpusnek_log10_of_three_quarters", Fraction(3, 4), 10, 2),
    ],
)
def test_logarithms(name: str, factor: Fraction, base: int, of: int) -> None:
    ends = (-343, 342) if of == 10 else (-1074, 1024)
    for power in range(*ends):
        assert header_log(name, power) == floor_log(factor * Fraction(of) ** power, base), power
