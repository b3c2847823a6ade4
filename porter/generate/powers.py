"""The powers of ten by which the port's C code converts floats to decimal digits and back."""

from __future__ import annotations

from functools import cache

from attrs import frozen

BITS = 128
# Exponents of the last bit of the smallest number and of the first bit of the largest.
RANGES = {"double": (-1074, 1023), "single": (-149, 127)}
# The C code asks for so many digits of a number, and reads so many bits of a text's digits.
DIGITS = 17
READ_BITS = 64


@frozen
class PowersOfTen:
    """The first BITS bits of 10 ** first, 10 ** (first + 1), ...; further bits are cut off."""

    first: int
    significands: tuple[int, ...]


@cache
def powers_of_ten(float_name: str) -> PowersOfTen:
    """Those that floats of BuildConfig's width `float_name` need.

    Whatever is read times a power below the first is less than half of the smallest number, and 1
    times a power above the last is more than the largest.
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
    """The first BITS bits of 10 ** power."""
    if power >= 0:
        value: int = 10**power
        excess = value.bit_length() - BITS
        return value >> excess if excess > 0 else value << -excess
    divisor: int = 10**-power
    # A power of two over the divisor, which is none itself, lies strictly between powers of two.
    return (1 << (BITS - 1 + divisor.bit_length())) // divisor
