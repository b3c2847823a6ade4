"""Numbers for which inexact conversions give wrong results."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from .native import Bits, Width

# From the literature (Paxson 1991, Gay 1990, Giulietti 2020) and from defects of libraries: nearly
# halfway between short decimals or between doubles, or with a short decimal that is hard to find.
KNOWN = """
5e-324 1e-323 1.5e-323 2.2250738585072011e-308 2.2250738585072012e-308 2.2250738585072014e-308
1.7976931348623157e308 9007199254740993 9007199254740992 1e23 9.5367431640625e-7 2e-44 4.35 0.3
8.41e21 9.409340012568248e18 2.0919495182368195e19 5.764607523034235e39 1.152921504606847e40
2.2802896374787e35 6.697e-316 8.5e-323 1.9155e-320 3e-323 2.109808898695963e16 4.940656e-318
1.18575755e-316 2.989102097996e-312 9.0608011534336e15 4.708356024711512e18 9.0608e15
6.63177e-292 3.2378839133029012895883e-303 7.1202363472230444e-307 3.67301024534615e16 5e-20
6.631236846766476e-316 3.237883913302901e-319 8.366365115926e-318 1.448997445238699 0.1 0.5 1.5 2.5
8.697104e33 123456789012345678 6.8985865317742005e180 1.1973e-320 8e-323 4.45015e-308
2.4703282292062327e-324 2.4703282292062328e-324 1.7976931348623158e308 1.7976931348623159e308
"""


def numbers(width: Width, count: int, seed: int) -> Bits:
    """Return bits without a sign: `count` random numbers, all exponents, edges, short decimals."""
    generator = np.random.default_rng(seed)
    hidden = 1 << (width.mantissa - 1)
    exponents = width.highest - width.lowest + 2
    edges = [
        exponent * hidden + fraction
        for exponent in range(exponents)
        for fraction in (0, 1, 2, hidden // 2, hidden - 2, hidden - 1)
    ]
    edges += range(1, 1000)
    parts = [np.array(edges, np.uint64)]
    parts.append(generator.integers(0, exponents * hidden, count, dtype=np.uint64))
    if width.mantissa == 53:
        parts += _decimals(generator, count // 4)
    return np.concatenate(parts)


def _decimals(generator: np.random.Generator, count: int) -> Iterator[Bits]:
    """Yield typical doubles: near powers of ten, integers, halves, a few decimals."""
    tens = np.array([float(f"1e{power}") for power in range(-323, 309)]).view(np.uint64)
    yield from (tens, tens - np.uint64(1), tens + np.uint64(1))
    known = [float(text) for text in KNOWN.split()]
    yield np.array([number for number in known if 0 < number < np.inf]).view(np.uint64)
    yield generator.integers(0, 2**53, count).astype(float).view(np.uint64)
    yield (generator.integers(0, 2**24, count) / 64.0).view(np.uint64)
    yield (generator.integers(0, 10**7, count) / 1000.0).view(np.uint64)
    yield np.round(generator.random(count), 2).view(np.uint64)


def texts(width: Width, count: int, seed: int) -> list[str]:
    """Return decimals to read: midpoints of two numbers, near midpoints, long, short, extreme."""
    chance = random.Random(seed)
    lines = KNOWN.split()
    for bits in numbers(width, count // 40, seed)[:: max(1, width.mantissa // 10)].tolist():
        lines += _around(_halfway(bits, width), chance)
    for _ in range(count):
        digits = chance.choice((1, 5, 9, 15, 17, 18, 19, 20, 21, 25, 40, 300))
        whole = str(chance.randrange(10**digits))
        point = chance.choice(("", f".{chance.randrange(10**30)}", ".", "." + "0" * 30 + "1"))
        exponent = chance.choice(
            ("", f"e{chance.randrange(-30, 30)}", f"e{chance.randrange(-400, 400)}")
        )
        lines.append(whole + point + exponent)
    return [
        *lines,
        "1e999999999",
        "1e-999999999",
        "0e999",
        "0." + "0" * 400 + "1e400",
        "0",
        "000.0",
    ]


def _halfway(bits: int, width: Width) -> Fraction:
    """Return the midpoint between the number and the next one."""
    exponent, fraction = divmod(bits, 1 << (width.mantissa - 1))
    mantissa = fraction + (1 << (width.mantissa - 1) if exponent else 0)
    return Fraction(2 * mantissa + 1) * Fraction(2) ** (width.lowest + max(exponent, 1) - 2)


def _around(halfway: Fraction, chance: random.Random) -> Iterator[str]:
    """Yield all digits of `halfway`, texts that differ far after the point, and a cut one."""
    places = halfway.denominator.bit_length() - 1
    whole = str(halfway.numerator * 10**places // halfway.denominator)
    digits = whole.rstrip("0")
    places -= len(whole) - len(digits)
    tail = "0" * chance.randrange(900)
    yield f"{digits}e{-places}"
    yield f"{digits}.{tail}1e{-places}"
    yield f"{digits[:-1]}{int(digits[-1]) - 1}.{tail.replace('0', '9')}9e{-places}"
    short = chance.randrange(15, 60)
    if short < len(digits):
        yield f"{digits[:1]}.{digits[1:short]}e{len(digits) - 1 - places}"


def nearest(text: str, width: Width) -> int:
    """Return the bits of the number nearest to `text`, by rational arithmetic."""
    mantissa, _, exponent = text.partition("e")
    value = Fraction(mantissa) * Fraction(10) ** max(-2000, min(2000, int(exponent or 0)))
    if value == 0:
        return 0
    magnitude = value.numerator.bit_length() - value.denominator.bit_length()
    magnitude -= value < Fraction(2) ** magnitude
    last = max(magnitude - width.mantissa + 1, width.lowest)
    hidden = 1 << (width.mantissa - 1)
    bits = (last - width.lowest) * hidden + round(value / Fraction(2) ** last)  # half to even
    return int(min(bits, (width.highest - width.lowest + 2) * hidden))
