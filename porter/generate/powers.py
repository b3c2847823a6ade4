"""Compute the powers of ten with which the port converts floats to decimal digits and back."""

from __future__ import annotations

from functools import cache

from attrs import frozen

BITS = 128
# Exponents of the last bit of the smallest number and of the first bit of the largest number.
RANGES = {"double": (-1074, 1023), "single": (-149, 127)}
# The C code generates up to DIGITS digits of a number, and keeps READ_BITS bits of parsed digits.
DIGITS = 17
READ_BITS = 64


@frozen
class PowersOfTen:
    """The first BITS bits of 10 ** first, 10 ** (first + 1), ...; truncated, not rounded."""

    first: int
    significands: tuple[int, ...]


@cache
def powers_of_ten(float_name: str) -> PowersOfTen:
    """Return the powers that floats of the width `float_name` (as in BuildConfig) need.

    Any parsed number times a power below the first is less than half of the smallest float. A
    number from 1 on times a power above the last exceeds the largest float.
    """
    lowest, highest = RANGES[float_name]
    first = 0
    while 10**-first < 2 ** (READ_BITS + 1 - lowest):
        first -= 1
    last = 0
    while 10**last < 2 ** (highest + 1):
        last += 1
    smallest = 0
    while 10**-smallest < 2**-lowest:
        smallest -= 1
    last = max(last, DIGITS - smallest)
    return PowersOfTen(first, tuple(significand(power) for power in range(first, last + 1)))


def significand(power: int) -> int:
    """Return the first BITS bits of 10 ** power, truncated."""
    if power >= 0:
        value: int = 10**power
        excess = value.bit_length() - BITS
        return value >> excess if excess > 0 else value << -excess
    divisor: int = 10**-power
    # 10**-power is no power of two, so the quotient lies strictly between powers of two.
    return (1 << (BITS - 1 + divisor.bit_length())) // divisor
