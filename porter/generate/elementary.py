"""Compute the constants of the port's elementary functions (`templates/port/elementary*.c`).

Every constant is a *pair*: the float nearest to a real number, and the float nearest to the rest.
The sum of both has about 106 bits. `porter/generate/port.py` gives the pairs to the template
`elementary_tables.c.j2`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

Pair = tuple[float, float]

# Bits of the fixed-point numbers from which pairs are computed.
PRECISION = 400
# The words of 2/pi that the reduction of the largest double reads.
ANGLE_WORDS = 20
# Terms of Stirling's series, and of the series of ln(gamma(x)) around 1 and 2.
STIRLING_TERMS = 11
GAMMA_TERMS = 16
# Intervals of 1 of the argument of the error function, which has a table for arguments up to 4.
ERROR_STEPS = 8
# Intervals of the logarithm's argument, of an octave of the exponential, and of an angle of 1.
LOG_STEPS = 128
EXP_STEPS = 64
ANGLE_STEPS = 32


def pair(value: Fraction) -> Pair:
    """Return the two floats whose sum is nearest to `value`."""
    high = float(value)
    return high, float(value - Fraction(high))


def _series(first: Fraction, ratios: Iterable[Fraction], bits: int = PRECISION) -> Fraction:
    """Return the sum of terms, each of which is the previous one times the next ratio."""
    unit = 1 << bits
    term = total = math.floor(first * unit)
    for ratio in ratios:
        term = term * ratio.numerator // ratio.denominator
        total += term
        if -2 < term < 2:
            break
    return Fraction(total, unit)


def arctangent(x: Fraction, bits: int = PRECISION) -> Fraction:
    """Return atan(x) for 0 <= x <= 1 by Euler's series, with `bits` bits after the point."""
    square = x * x / (1 + x * x)
    ratios = (square * Fraction(2 * n, 2 * n + 1) for n in range(1, 3 * bits))
    return _series(x / (1 + x * x), ratios, bits)


def logarithm(x: Fraction) -> Fraction:
    """Return ln(x) for 1/2 <= x <= 2."""
    y = (x - 1) / (x + 1)
    ratios = (y * y * Fraction(2 * n - 1, 2 * n + 1) for n in range(1, PRECISION))
    return 2 * _series(y, ratios)


def exponential(x: Fraction) -> Fraction:
    """Return e**x for 0 <= x <= 16."""
    return _series(Fraction(1), (x / n for n in range(1, PRECISION)))


def sine(x: Fraction) -> Fraction:
    """Return sin(x) for 0 <= x <= 1."""
    return _series(x, (-x * x / (2 * n * (2 * n + 1)) for n in range(1, PRECISION)))


def cosine(x: Fraction) -> Fraction:
    """Return cos(x) for 0 <= x <= 1."""
    return _series(Fraction(1), (-x * x / (2 * n * (2 * n - 1)) for n in range(1, PRECISION)))


def _log_scale(step: int) -> Fraction:
    """Return a number of few bits near the inverse of the numbers of an interval.

    Interval `step` begins at 1 + step/LOG_STEPS. Numbers from about the square root of 2 on are
    halved, so that the scale of the first and of the last interval is 1.
    """
    if step in (0, LOG_STEPS - 1):
        scale = Fraction(1)
    else:
        middle = 1 + Fraction(2 * step + 1, 2 * LOG_STEPS)
        scale = Fraction(round(512 / middle), 512)
        if step >= LOG_HALVED:
            scale *= 2
    return scale


def bernoulli_number(n: int) -> Fraction:
    """Return the Bernoulli number of an even index of at least 2."""
    numbers = [Fraction(1)]
    for m in range(1, n + 1):
        total = sum((math.comb(m + 1, k) * numbers[k] for k in range(m)), Fraction(0))
        numbers.append(-total / (m + 1))
    return numbers[n]


def _cut_fraction(value: Fraction) -> Fraction:
    """Return `value` rounded down to PRECISION bits after the point."""
    return Fraction(math.floor(value * (1 << PRECISION)), 1 << PRECISION)


def zeta(s: int) -> Fraction:
    """Return Riemann's zeta(s) for s >= 2 by the formula of Euler and Maclaurin."""
    n = EULER_TERMS
    total = sum((_cut_fraction(Fraction(1, i**s)) for i in range(1, n)), Fraction(0))
    total += Fraction(1, (s - 1) * n ** (s - 1)) + Fraction(1, 2 * n**s)
    for k, number in enumerate(EULER_NUMBERS, 1):
        rising = math.prod(range(s, s + 2 * k - 1))
        total += number * rising / (math.factorial(2 * k) * n ** (s + 2 * k - 1))
    return total


def euler_constant() -> Fraction:
    """Return the limit of 1 + 1/2 + ... + 1/n - ln(n)."""
    n = EULER_TERMS
    total = sum((_cut_fraction(Fraction(1, i)) for i in range(1, n + 1)), Fraction(-1, 2 * n))
    total -= (n.bit_length() - 1) * logarithm(Fraction(2))
    for k, number in enumerate(EULER_NUMBERS, 1):
        total += number / (2 * k * n ** (2 * k))
    return total


def square_root(value: Fraction) -> Fraction:
    """Return the square root of a number with PRECISION bits after the point."""
    return Fraction(math.isqrt(math.floor(value * (1 << 2 * PRECISION))), 1 << PRECISION)


def error_function(x: Fraction, pi: Fraction) -> Fraction:
    """Return erf(x) for 0 <= x <= 4."""
    ratios = (2 * x * x / (2 * n + 1) for n in range(1, PRECISION))
    return _series(x, ratios) * density(x, pi)


def density(x: Fraction, pi: Fraction) -> Fraction:
    """Return the derivative of the error function for 0 <= x <= 4."""
    return 2 / (exponential(x * x) * square_root(pi))


EULER_TERMS = 64  # a power of two
EULER_NUMBERS = [bernoulli_number(2 * k) for k in range(1, 31)]
LOG_HALVED = 53  # intervals from 1.414 on


def _words(value: Fraction, count: int) -> tuple[int, ...]:
    """Return the first `count` words of 64 bits of a fraction below 1."""
    bits = math.floor(value * (1 << (64 * count)))
    return tuple((bits >> (64 * (count - 1 - i))) & ((1 << 64) - 1) for i in range(count))


def _cut(value: Fraction, bits: int) -> float:
    """Return `value` rounded down to a multiple of 2**-bits."""
    return float(Fraction(math.floor(value * (1 << bits)), 1 << bits))


@cache
def tables() -> dict[str, object]:
    """Return the variables of `elementary_tables.c.j2`: pairs, rows of pairs, and words."""
    ln2 = logarithm(Fraction(2))
    ln10 = 3 * ln2 + logarithm(Fraction(5, 4))
    bits = 64 * ANGLE_WORDS + 64
    pi = 4 * arctangent(Fraction(1), bits)
    step = ln2 / EXP_STEPS
    first = _cut(step, 38)
    second = _cut(step - Fraction(first), 70)
    scales = [_log_scale(i) for i in range(LOG_STEPS)]
    gamma = euler_constant()
    zetas = [(-1) ** k * zeta(k) / k for k in range(2, GAMMA_TERMS + 1)]
    errors = [Fraction(i, ERROR_STEPS) for i in range(4 * ERROR_STEPS + 1)]
    angles = [Fraction(i, ANGLE_STEPS) for i in range(ANGLE_STEPS + 1)]
    return {
        "constants": {
            "ln2": pair(ln2),
            "log2_e": pair(1 / ln2),
            "log10_e": pair(1 / ln10),
            "half_pi": pair(pi / 2),
            "log_pi": pair(logarithm(pi / 4) + 2 * ln2),
            "half_log_2pi": pair((logarithm(pi / 4) + 3 * ln2) / 2),
            "inverse_root_pi": pair(1 / square_root(pi)),
        },
        "exp_step": (first, second, float(step - Fraction(first) - Fraction(second))),
        "exp_steps": [pair(exponential(step * i)) for i in range(EXP_STEPS)],
        "log_scales": [(float(c), *pair(-logarithm(c))) for c in scales],
        "sines": [(*pair(sine(x)), *pair(cosine(x))) for x in angles],
        "arctangents": [pair(arctangent(x)) for x in angles],
        "factorials": [pair(Fraction(1, math.factorial(i))) for i in range(28)],
        "inverses": [pair(Fraction(1, i)) for i in range(1, 29)],
        "stirling": [
            pair(bernoulli_number(2 * k) / (2 * k * (2 * k - 1)))
            for k in range(1, STIRLING_TERMS + 1)
        ],
        # ln(gamma(1 + d)) and ln(gamma(2 + d)) = ln(gamma(1 + d)) + ln(1 + d).
        "log_gamma_1": [pair(-gamma), *(pair(term) for term in zetas)],
        "log_gamma_2": [
            pair(1 - gamma),
            *(pair(term - Fraction((-1) ** k, k)) for k, term in enumerate(zetas, 2)),
        ],
        "errors": [(*pair(1 - error_function(x, pi)), *pair(density(x, pi))) for x in errors],
        "two_over_pi": _words(2 / pi, ANGLE_WORDS),
    }
