"""Rounding, division, comparison and reading of numbers: CPython's results and messages."""

from __future__ import annotations

import random

from porter.run import Device
from tests.cpython import cpython
from tests.library.compare import assert_alike, printed

SHOW = """\
def show(call):
    try:
        print(repr(call()))
    except Exception as error:
        print(type(error).__name__, error)

"""


def _program(expressions: list[str]) -> str:
    return SHOW + "".join(f"show(lambda: {text})\n" for text in expressions)


def _number(source: random.Random) -> str:
    kind = source.randrange(6)
    if kind == 0:
        return repr(source.uniform(-1000, 1000))
    if kind == 1:
        return repr(source.randrange(-(10**6), 10**6) / source.choice([8, 100, 200, 1000]))
    if kind == 2:
        return repr(source.uniform(-1, 1) * 2.0 ** source.randrange(-1000, 1000))
    if kind == 3:
        return repr(float(source.randrange(-(10**4), 10**4)) + 0.5)
    if kind == 4:
        return repr(float(5 * 10 ** source.randrange(22)))
    return source.choice(["0.0", "-0.0", "2.675", "1.005", "float('inf')", "float('nan')", "0.5"])


def test_round(any_device: Device) -> None:
    source = random.Random(1)
    expressions = []
    for _ in range(1500):
        digits = source.choice([0, 1, 2, 3, 5, 10, 15, 17, 22, 30, 300, 400, -1, -2, -5, -20, -400])
        expressions.append(f"round({_number(source)}, {digits})")
    expressions += [f"round({_number(source)})" for _ in range(40) if "inf" not in _number(source)]
    expressions = [text for text in expressions if "inf')))" not in text and "nan'))" not in text]
    expressions += ["round(5, None)", "round(2.5, None)", "round(15, -1)", "round(1250, -2)"]
    assert_alike(any_device, _program(expressions))


def _integer(source: random.Random) -> int:
    bits = source.choice([3, 30, 53, 54, 64, 100, 900, 1100])
    return source.choice([-1, 1]) * (source.getrandbits(bits) | source.choice([0, 1 << (bits - 1)]))


def test_integers_and_floats(any_device: Device) -> None:
    source = random.Random(2)
    expressions = []
    for _ in range(300):
        a, b = _integer(source), _integer(source)
        expressions.append(f"{a} / {b}")
        near = int(float(a)) if abs(a) < 2**1000 else a
        other = source.choice(
            [_number(source), repr(float(near)) if abs(near) < 2**1000 else "1.0"]
        )
        sign = source.choice(["<", "<=", "==", "!=", ">", ">="])
        expressions.append(f"{near + source.choice([-1, 0, 1])} {sign} {other}")
        expressions.append(f"{other} {sign} {near + source.choice([-1, 0, 1])}")
    expressions += [
        "float(10**400)", "10**400 * 1.0", "1.5 + 10**400", "10**400 / 3", "1 / 10**400",
        "10**400 < float('inf')", "10**400 == float('inf')", "-(10**400) > float('-inf')",
        "10**400 < float('nan')", "float('nan') >= 10**400", "10**400 // 3.0",
    ]  # fmt: skip
    assert_alike(any_device, _program(expressions))


def test_division_by_zero(any_device: Device) -> None:
    operators = ["/", "//", "%"]
    values = ["1", "1.5", "10**30", "True"]
    expressions = [f"{a} {o} {z}" for a in values for o in operators for z in ("0", "0.0")]
    expressions += [f"divmod({a}, 0)" for a in values]
    # Releases of CPython before 3.13 have a shorter message.
    expected = cpython(_program(expressions), __name__="__main__").decode()
    expected = expected.replace("float modulo\n", "float modulo by zero\n")
    assert printed(any_device, _program(expressions)) == expected


def test_inverse_powers(any_device: Device) -> None:
    source = random.Random(3)
    expressions = []
    for _ in range(200):
        base, modulus = _integer(source), _integer(source) % 2**70 - 2**69
        expressions.append(f"pow({base}, {-source.randrange(1, 50)}, {modulus})")
        expressions.append(f"pow({base % 50}, -1, {source.randrange(-20, 50)})")
    expressions += ["pow(2, 5, 0)", "pow(2.0, 3, 5)", "pow(2, -1, 0)", "pow(0, -1, 7)"]
    assert_alike(any_device, _program(expressions))


def test_texts(any_device: Device) -> None:
    source = random.Random(4)
    expressions = []
    for _ in range(400):
        text = "".join(source.choice("0123456789__ .e-+xab") for _ in range(source.randrange(7)))
        expressions.append(f"int({text!r})")
        expressions.append(f"float({text!r})")
        expressions.append(f"int({text!r}, {source.choice([0, 2, 8, 16, 36])})")
    for text in [
        "٣",
        "\uff11\uff12",
        "१२३",
        "1٣",
        "²",
        "\U0001d7d9\U0001d7da",
        "inf",
        "-Infinity",
        "nan",
        "infin",
        "\x00",
        "",
    ]:
        expressions += [f"int({text!r})", f"float({text!r})"]
    expressions += [
        "float('1e400')",
        "float('\\uff11.\\uff15')",
        "float('1_0.5_1e1_0')",
        "float(' 1.5\\n')",
    ]
    assert_alike(any_device, _program(expressions))
