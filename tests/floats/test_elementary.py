"""Powers and elementary functions: the nearest float, or the last bit of CPython's result."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cache

import pytest

from porter.generate.elementary import (
    arctangent,
    bernoulli_number,
    cosine,
    euler_constant,
    exponential,
    logarithm,
    pair,
    sine,
    tables,
    zeta,
)
from porter.run import Device
from tests.library.compare import assert_alike, calls, printed

Arguments = Callable[[random.Random], tuple[float, ...]]
EXACT = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN)

COUNT = 2000
FUNCTIONS: dict[str, list[Arguments]] = {
    "exp": [lambda r: (r.uniform(-745, 709),), lambda r: (r.uniform(-3, 3),)],
    "expm1": [lambda r: (r.uniform(-40, 700),), lambda r: (2 ** r.uniform(-50, 0),)],
    "log": [lambda r: (2 ** r.uniform(-1070, 1020),), lambda r: (r.uniform(0.9, 1.1),)],
    "log2": [lambda r: (2 ** r.uniform(-1070, 1020),), lambda r: (r.uniform(0, 100),)],
    "log10": [lambda r: (2 ** r.uniform(-1070, 1020),), lambda r: (r.uniform(0, 100),)],
    "sin": [lambda r: (r.uniform(-10, 10),), lambda r: (2 ** r.uniform(-30, 1020),)],
    "cos": [lambda r: (r.uniform(-10, 10),), lambda r: (2 ** r.uniform(-30, 1020),)],
    "tan": [lambda r: (r.uniform(-10, 10),), lambda r: (2 ** r.uniform(-30, 1020),)],
    "asin": [lambda r: (r.uniform(-1, 1),), lambda r: (1 - 2 ** r.uniform(-50, 0),)],
    "acos": [lambda r: (r.uniform(-1, 1),), lambda r: (1 - 2 ** r.uniform(-50, 0),)],
    "atan": [lambda r: (r.uniform(-9, 9),), lambda r: (2 ** r.uniform(-50, 50),)],
    "sinh": [lambda r: (r.uniform(-30, 30),), lambda r: (r.uniform(-700, 700),)],
    "cosh": [lambda r: (r.uniform(-30, 30),), lambda r: (r.uniform(-700, 700),)],
    "tanh": [lambda r: (r.uniform(-9, 9),), lambda r: (2 ** r.uniform(-50, 5),)],
    "asinh": [lambda r: (r.uniform(-9, 9),), lambda r: (2 ** r.uniform(-50, 900),)],
    "acosh": [lambda r: (r.uniform(1, 9),), lambda r: (2 ** r.uniform(0, 900),)],
    "atanh": [lambda r: (r.uniform(-1, 1),), lambda r: (2 ** r.uniform(-50, 0),)],
    "atan2": [
        lambda r: (r.uniform(-9, 9), r.uniform(-9, 9)),
        lambda r: (2 ** r.uniform(-900, 900), -(2 ** r.uniform(-900, 900))),
    ],
    "pow": [
        lambda r: (r.uniform(0, 100), r.uniform(-20, 20)),
        lambda r: (1 + r.uniform(-0.1, 0.1), r.uniform(-900, 900)),
        lambda r: (round(r.uniform(0.5, 10), 2), float(r.randrange(-20, 40))),
    ],
}


def _results(device: Device, name: str, arguments: list[tuple[float, ...]]) -> list[float]:
    call = "x ** y for x, y" if name == "pow" else f"math.{name}(*a) for a"
    text = f"import math\nfor v in [{call} in {arguments!r}]:\n    print(repr(v))\n"
    return [float(line) for line in printed(device, text).split()]


def _sample(name: str, seed: int = 0) -> list[tuple[float, ...]]:
    source = random.Random(f"{name}{seed}")
    return [draw(source) for draw in FUNCTIONS[name] for _ in range(COUNT // len(FUNCTIONS[name]))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_cpythons(roomy_device: Device, name: str) -> None:
    """At most one result in 100 differs, by one unit of the last place."""
    arguments = _sample(name)
    expected = [math.pow(*a) if name == "pow" else getattr(math, name)(*a) for a in arguments]
    found = _results(roomy_device, name, arguments)
    assert len(found) == len(expected)
    others = [(f, e) for f, e in zip(found, expected, strict=True) if f != e]
    assert len(others) <= len(found) / 100
    assert all(f in (math.nextafter(e, math.inf), math.nextafter(e, -math.inf)) for f, e in others)


def _nearest(name: str, arguments: tuple[float, ...]) -> float:
    exact = [Decimal(x) for x in arguments]
    if name == "exp":
        value = EXACT.exp(exact[0])
    elif name == "log":
        value = EXACT.ln(exact[0])
    else:
        value = EXACT.exp(EXACT.multiply(exact[1], EXACT.ln(exact[0])))
    return float(value)


@pytest.mark.parametrize("name", ["exp", "log", "pow"])
def test_nearest_float(roomy_device: Device, name: str) -> None:
    arguments = _sample(name, 1)[::4]
    found = _results(roomy_device, name, arguments)
    expected = [_nearest(name, a) for a in arguments]
    assert found == expected


def test_powers(any_device: Device) -> None:
    """Halfway cases, exact powers, powers of ten, subnormal results, and special values."""
    pairs = [(10.0, float(n)) for n in range(-330, 309)]
    pairs += [(float(2**27 - n), 2.0) for n in range(1, 40)]
    pairs += [(float(n), 3.0) for n in range(1, 50)] + [(2.0, float(-n)) for n in range(1000, 1080)]
    pairs += [(1.5, -float(n)) for n in range(1780, 1850, 7)]
    lines = "".join(f"{x!r} {y!r}\n" for x, y in pairs)
    program = (
        f"lines = '''{lines}'''\nfor line in lines.split('\\n')[:-1]:\n"
        "    x, y = line.split()\n    print(line, float(x) ** float(y))\n"
    )
    values = [f"{x!r} {y!r} {_exact_power(x, y)!r}" for x, y in pairs]
    assert printed(any_device, program).splitlines() == values
    special = [
        "0.0",
        "-0.0",
        "1.0",
        "-1.0",
        "2.0",
        "-2.0",
        "0.5",
        "3.0",
        "-3.0",
        "1e300",
        "inf",
        "-inf",
        "nan",
    ]
    expressions = [f"float('{x}') ** float('{y}')" for x in special for y in special]
    expressions = [
        text for text in expressions if "'-" not in text.split("**")[0] or "0.5" not in text
    ]
    assert_alike(any_device, calls("", expressions))


def _exact_power(x: float, y: float) -> float:
    return float(Fraction(x) ** int(y))


def test_errors_and_special_values(any_device: Device) -> None:
    names = [name for name in FUNCTIONS if name not in ("pow", "atan2")] + ["erf"]
    special = ["0.0", "-0.0", "1.0", "-1.0", "2.0", "-2.0", "1e300", "-1e300", "5e-324", "1000.0"]
    special += ["float('inf')", "-float('inf')", "float('nan')", "1e-300", "-1e-10"]
    expressions = [f"math.{name}({x})" for name in [*names, "gamma", "lgamma"] for x in special]
    expressions = [
        text for text in expressions if text not in ("math.gamma(-1e-10)", "math.lgamma(1e300)")
    ]
    expressions += [
        f"math.{f}({x}, {y})" for f in ("atan2", "pow") for x in special for y in special
    ]
    expressions += ["10.0 ** 400", "(-10.0) ** 401", "1e200 ** 2", "0.0 ** -1", "0 ** -1"]
    expressions += ["math.ldexp(1.0, 5000)", "math.ldexp(1.0, -5000)", "math.exp2(2000)"]
    program = "import math\ndef show(call):\n    try:\n        print(call())\n"
    program += "    except Exception as error:\n        print(type(error).__name__, error)\n"
    program += "".join(f"show(lambda: {text})\n" for text in expressions)
    assert_alike(any_device, program)


def test_constants() -> None:
    """Each pair of the tables is its number, within 2**-104 of it."""
    found = tables()
    assert json.loads(json.dumps(found["constants"]))["ln2"][0] == math.log(2)
    assert arctangent(Fraction(1)).limit_denominator(1000) == Fraction(
        math.pi / 4
    ).limit_denominator(1000)
    for value in (
        logarithm(Fraction(3, 2)),
        exponential(Fraction(1)),
        sine(Fraction(1)),
        cosine(Fraction(1)),
    ):
        high, low = pair(value)
        assert abs(Fraction(high) + Fraction(low) - value) <= abs(value) / 2**104
    for row in found["sines"]:  # type: ignore[attr-defined]
        s, c = Fraction(row[0]) + Fraction(row[1]), Fraction(row[2]) + Fraction(row[3])
        assert abs(s * s + c * c - 1) < Fraction(1, 2**103)


# Decimal numbers for values of the gamma and error functions: enough digits for erfc(27).
WIDE = Context(prec=80, Emax=MAX_EMAX, Emin=MIN_EMIN)
WIDEST = Context(prec=420, Emax=MAX_EMAX, Emin=MIN_EMIN)
PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862"
)
BERNOULLI = [bernoulli_number(2 * k) for k in range(1, 26)]


def _log_gamma(x: float) -> tuple[Decimal, bool]:
    """Return ln(abs(gamma(x))), and whether gamma(x) is negative."""
    c = WIDE
    z, product = Decimal(x), Decimal(1)
    while z < 60:
        product = c.multiply(product, z)
        z = c.add(z, Decimal(1))
    value = c.multiply(c.subtract(z, Decimal("0.5")), c.ln(z))
    value = c.add(c.subtract(value, z), c.divide(c.ln(c.multiply(PI, Decimal(2))), Decimal(2)))
    for k, number in enumerate(BERNOULLI, 1):
        factor = c.divide(
            Decimal(number.numerator), Decimal(number.denominator * 2 * k * (2 * k - 1))
        )
        value = c.add(value, c.divide(factor, c.power(z, 2 * k - 1)))
    return c.subtract(value, c.ln(product.copy_abs())), product < 0


def _complement(x: float) -> Decimal:
    """Return erfc(x)."""
    c = WIDEST
    square = c.multiply(Decimal(x), Decimal(x))
    twice = c.add(square, square)
    term = total = Decimal(x)
    n = 1
    while term.copy_abs() > Decimal("1e-400"):
        term = c.divide(c.multiply(term, twice), Decimal(2 * n + 1))
        total = c.add(total, term)
        n += 1
    root = c.sqrt(_wide_pi())
    total = c.divide(c.multiply(total, Decimal(2)), c.multiply(root, c.exp(square)))
    return c.subtract(Decimal(1), total)


@cache
def _wide_pi() -> Decimal:
    value = 4 * arctangent(Fraction(1), 1500)
    return WIDEST.divide(Decimal(value.numerator), Decimal(value.denominator))


def _special(name: str, x: float) -> float:
    if name == "cbrt":
        return float(WIDE.power(Decimal(x), WIDE.divide(Decimal(1), Decimal(3))))
    if name == "lgamma":
        return float(_log_gamma(x)[0])
    if name == "gamma":
        logarithm, negative = _log_gamma(x)
        value = float(WIDE.exp(logarithm))
        return -value if negative else value
    complement = _complement(x)
    return float(complement if name == "erfc" else WIDEST.subtract(Decimal(1), complement))


SPECIAL: dict[str, list[Callable[[random.Random], float]]] = {
    "gamma": [
        lambda r: r.uniform(0, 171.6),
        lambda r: r.uniform(-5, 5),
        lambda r: r.uniform(-170, 0),
        lambda r: r.randrange(-60, 0) + 2 ** r.uniform(-40, -1),
        lambda r: float(r.randrange(1, 171)),
        lambda r: 2 ** r.uniform(-70, 0),
    ],
    "lgamma": [
        lambda r: r.uniform(0, 20),
        lambda r: 2 ** r.uniform(-70, 100),
        lambda r: 1 + r.choice([-1, 1]) * 2 ** r.uniform(-50, -1),
        lambda r: 2 + r.choice([-1, 1]) * 2 ** r.uniform(-50, -1),
        lambda r: r.uniform(-300, 0),
    ],
    "erf": [lambda r: r.uniform(-6, 6), lambda r: 2 ** r.uniform(-600, 1)],
    "erfc": [lambda r: r.uniform(-6, 6), lambda r: r.uniform(0, 26.5), lambda r: r.uniform(0.5, 2)],
    "cbrt": [lambda r: r.uniform(0, 1000), lambda r: 2 ** r.uniform(-1060, 1000)],
}


@pytest.mark.parametrize("name", SPECIAL)
def test_nearest_value_of_special_functions(roomy_device: Device, name: str) -> None:
    source = random.Random(name)
    arguments = [draw(source) for draw in SPECIAL[name] for _ in range(1000 // len(SPECIAL[name]))]
    found = _results(roomy_device, name, [(x,) for x in arguments])
    expected = [_special(name, x) for x in arguments]
    assert [
        pair for pair in zip(arguments, found, expected, strict=True) if pair[1] != pair[2]
    ] == []


@pytest.mark.parametrize("zero", [-2.4570247382208006, -2.747682646727412, -5.991675662, -30.5])
def test_zeros_of_the_logarithm_of_gamma(roomy_device: Device, zero: float) -> None:
    """From 2**-20 beside a zero on, an error is below one unit of the last place."""
    source = random.Random(zero)
    arguments = [zero + source.choice([-1, 1]) * 2 ** source.uniform(-20, -4) for _ in range(200)]
    found = _results(roomy_device, "lgamma", [(x,) for x in arguments])
    for x, value in zip(arguments, found, strict=True):
        exact = _log_gamma(x)[0]
        error = WIDE.subtract(Decimal(value), exact).copy_abs()
        assert error < Decimal(math.ulp(value)), x


def test_special_values_of_special_functions(any_device: Device) -> None:
    values = "0.0 -0.0 1.0 -7.0 -1e300 5e-324 -5e-324 1e-310 inf -inf nan 5.6e-309 -1e16"
    large = " 172.0 -1000.5 -1001.5 1e306 28.0 -28.0 171.7 1e16 1e-300 -1e-10"
    program = "import math\ndef show(call):\n    try:\n        print(call())\n"
    program += "    except Exception as error:\n        print(type(error).__name__, error)\n"
    for name in ("gamma", "lgamma", "erf", "erfc"):
        for value in (values if name == "lgamma" else values + large).split():
            program += f"show(lambda: math.{name}(float('{value}')))\n"
    assert_alike(any_device, program)


def test_constants_of_series() -> None:
    expected = "0.577215664901532860606512090082402431042"
    assert abs(euler_constant() - Fraction(expected)) < Fraction(1, 10**38)
    assert abs(zeta(3) - Fraction("1.202056903159594285399738161511449990765")) < Fraction(
        1, 10**38
    )
    assert bernoulli_number(12) == Fraction(-691, 2730)
