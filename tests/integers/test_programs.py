"""Integers of any size: results equal CPython's, and long computations can be interrupted."""

from __future__ import annotations

import random
import sys
from typing import Any

import pytest

pytest.importorskip("hypothesis")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porter import InterpreterArray
from porter.run import Device, Launch, run
from tests.cpython import cpython

# Numbers around the ends of digits of 16 and 32 bits, of words of 47 and 64, and beyond.
LENGTHS = (0, 1, 16, 31, 32, 33, 46, 47, 48, 63, 64, 65, 95, 96, 97, 127, 128, 129, 512, 1023, 1025)
edges = st.builds(
    lambda bits, by, sign: sign * ((1 << bits) + by),
    st.sampled_from(LENGTHS),
    st.integers(-2, 2),
    st.sampled_from((1, -1)),
)
anything = st.sampled_from(LENGTHS).flatmap(lambda bits: st.integers(-(1 << bits), 1 << bits))
operands = st.lists(edges | anything, min_size=24, max_size=24)

# Every operation on every pair; a line for each operation and first operand.
PROGRAM = """\
from binascii import crc32
def bytes_of(a):
    size = len(hex(abs(a))) // 2
    b = [abs(a).to_bytes(size, order) for order in ('little', 'big')]
    return b, [int.from_bytes(x, order) for x, order in zip(b, ('little', 'big'))]
def texts(a):
    s = str(a), '%d' % a, '%x' % a, '%o' % a, hex(a), bin(a), oct(a), repr([a]), '%+050d' % a
    f = [x.format(a) for x in ('{:,}', '{:b}', '{:X}', '{:>400}|', '{:#o}')]
    return s, f, int(str(a)), int(hex(a), 16), int(bin(a), 2), int(oct(a), 0), int(f'00{abs(a)}')
def read(a):
    sign, decimal, binary = '-' if a < 0 else '', str(abs(a)), bin(a)[-40:].split('b')[-1]
    return [int(sign + (decimal if base > 9 else binary), base) for base in range(2, 37)]
def divided(a, b):
    q, r = divmod(a, b)
    return a // b, a % b, q, r, q * b + r == a, r == 0 or (r < 0) == (b < 0), abs(r) < abs(b)
def changed(a, b):
    c = d = e = f = g = h = a
    c += b; d -= b; e *= b; f &= b; g |= b; h ^= b
    return c, d, e, f, g, h, a
def places(a):
    same = a * 3 // 3
    return {a: 1, a + 1: 2}[same], hash(a) == hash(same), a == same, [a + 1, a].index(same)
SINGLE = [
    ('unary', lambda a: (-a, +a, ~a, abs(a), not a, bool(a), a.__class__ is int)),
    ('texts', texts),
    ('read', read),
    ('bytes', bytes_of),
    ('float', lambda a: repr(float(a)) if abs(a) < 2 ** 1023 else None),
    ('places', places),
    ('square', lambda a: (a * a, a ** 2, a ** 3, a ** 5, a ** 0, a ** 1)),
    ('shifts', lambda a: [(a << n, a >> n) for n in (0, 1, 15, 16, 31, 32, 33, 64, 65, 200, 2000)]),
    ('of float', lambda a: int(float(a)) if abs(a) < 2 ** 1023 else None),
]
PAIRS = [
    ('sums', lambda a, b: (a + b, a - b, b - a, a * b, changed(a, b))),
    ('bits', lambda a, b: (a & b, a | b, a ^ b, a & ~b)),
    ('order', lambda a, b: (a < b, a <= b, a > b, a >= b, a == b, a != b, max(a, b))),
    ('divided', lambda a, b: [divided(x, b) for x in (a, a * b, a * b - 1)] if b else 0),
    ('modulo', lambda a, b: [pow(a, e, b) for e in (0, 1, 2, 3, 17, abs(a) % 2 ** 70)] if b else 0),
]
for name, f in SINGLE:
    for a in NUMBERS:
        print(name, a, crc32(repr(f(a)).encode()))
for name, f in PAIRS:
    for a in NUMBERS:
        sum = 0
        for b in NUMBERS:
            sum = crc32(repr(f(a, b)).encode(), sum)
        print(name, a, sum)
"""


def lines(device: Device, program: str, **options: int) -> list[bytes]:
    sizes: dict[str, Any] = {"heap": 160 << 10, "stdout": 1 << 20} | options
    result = run(device, [program], 1, Launch(stack=32 << 10, **sizes))
    assert not result.stderr[0], result.stderr[0].decode()
    return result.stdout[0].splitlines()


@settings(
    max_examples=50,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(numbers=operands)
def test_every_operation_on_every_pair(any_device: Device, numbers: list[int]) -> None:
    program = f"NUMBERS = {numbers}\n{PROGRAM}"
    assert lines(any_device, program) == cpython(program).splitlines()


LONG = """\
def powers(x):
    for e in (0, 1, 2, 3, 10, 63, 64, 65, 200):
        print(x ** e)
for x in (2, -2, 3, 4, 10, -7, 2 ** 31, 2 ** 32, 2 ** 32 - 1, 2 ** 32 + 1, -2 ** 64, 2 ** 90 + 3):
    powers(x)
print(divmod(-2 ** 46, -1), divmod(-2 ** 46 - 1, -1), -2 ** 46 // -1)
print(1 ** 2 ** 100, (-1) ** (2 ** 100 + 1), 0 ** 2 ** 70, (2 ** 70) ** 0, (2 ** 64) ** 64)
x = 1
for i in range(2, 300):
    x *= i
print(x)
for i in range(299, 1, -1):
    assert x % i == 0
    x //= i
print(x, str(7 ** 1200), int('9' * 1000), int('f' * 700, 16), hex(3 ** 2000), int('z' * 300, 36))
print(int('-' + '0' * 50), int(' -10000000000000000000000000 '), -(1 << 64) >> 70)
for wrong in ('12345678901234567890x', '1' * 40 + ' 1', '9' * 30 + '_', ''):
    try:
        print(int(wrong))
    except ValueError:
        print('no')
m = (1 << 2048) - 1942289
for e in (65537, m - 1, m // 3):
    print(pow(m // 7, e, m), pow(-m // 7, e, m + 1), pow(m // 7, e, -m), pow(m ** 2 // 7, 5, m))
try:
    pow(2 ** 70, 3, 0)
except ValueError:
    print('divide by zero')
"""


def test_long_numbers(any_device: Device) -> None:
    with_digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        expected = cpython(LONG).splitlines()
    finally:
        sys.set_int_max_str_digits(with_digits)
    assert lines(any_device, LONG) == expected


def test_powers_in_the_heap_that_a_build_has_by_default(any_device: Device) -> None:
    program = "m = (1 << 2048) - 1942289\nprint(pow(3, m - 2, m) % 10**9, pow(3, m, m + 1) % 10**9)"
    assert lines(any_device, program, heap=12 << 10) == cpython(program).splitlines()


@pytest.mark.parametrize("bits", [53, 54, 55, 64, 65, 96, 97, 200, 1023])
def test_floats_are_the_nearest(any_device: Device, bits: int) -> None:
    choose = random.Random(bits)
    halves = [
        (1 << bits) + (choose.getrandbits(53) * 2 + 1 << max(bits - 54, 0)) for _ in range(99)
    ]
    numbers = [n + by for n in halves for by in (-1, 0, 1)]
    program = f"for n in {numbers}:\n    print(float(n), float(-n))"
    assert lines(any_device, program) == cpython(program).splitlines()


def test_they_come_out_exactly(any_device: Device) -> None:
    choose = random.Random(3)
    numbers = [choose.getrandbits(bits) * sign for bits in range(150) for sign in (1, -1)]
    numbers += [sign * (2**bits + by) for bits in LENGTHS for by in (-1, 0, 1) for sign in (1, -1)]
    with InterpreterArray(2, device=any_device, heap="512K", stack="24K") as pythons:
        pythons.exec(f"x = {numbers}")
        assert pythons.eval("x") == [numbers] * 2
        assert pythons.eval("{n: [-n, (n,)] for n in x}") == [{n: [-n, (n,)] for n in numbers}] * 2
        for n in (2**63 - 1, -(2**63), 2**63, 2**64, -(2**63) - 1, 2**47, -(2**46) - 1, 2**32):
            pythons.exec(f"y = {n}")
            assert pythons.eval("y").tolist() == [n] * 2 if -(2**63) <= n < 2**63 else True
            assert pythons.eval("[y]") == [[n]] * 2


# Each ends with MemoryError quickly; the huge numbers are not computed.
@pytest.mark.parametrize("power", ["3 ** (1 << 40)", "(1 << 64) ** (1 << 62)", "2 ** (1 << 62)",
    "7 ** (1 << 63)", "(2 ** 70) ** (2 ** 70)", "-2 ** (2 ** 64 - 1)"])  # fmt: skip
def test_a_power_that_no_heap_holds(any_device: Device, power: str) -> None:
    program = f"try:\n    exec('{power}')\nexcept MemoryError:\n    print('full', 3 ** 50)"
    assert lines(any_device, program) == [b"full %d" % 3**50]


LASTING = {
    "modulo": "pow(3, 1 << 30000, (1 << 30000) - 3)",
    "even": "pow(3, 1 << 30000, 1 << 30000)",
    "small": "while True: pow(3, 1 << 90, (1 << 127) - 1)",
    "power": "while True: 3 ** 60000",
    "product": "a = 3 ** 50000\nwhile True: a * a",
    "text": "a = 3 ** 50000\nwhile True: str(a)",
}


@pytest.mark.parametrize("name", LASTING)
def test_a_limit_of_steps_ends_it(any_device: Device, name: str) -> None:
    result = run(any_device, [LASTING[name]], 1, Launch(heap=256 << 10, max_steps=5000, timeout=60))
    assert result.status[0] == any_device.built.constants["GPUSNEK_OUT_OF_STEPS"]


@pytest.mark.parametrize("name", LASTING)
def test_an_interrupt_can_be_caught(any_device: Device, name: str) -> None:
    body = LASTING[name].replace("\n", "\n    ")
    program = f"try:\n    {body}\nexcept KeyboardInterrupt:\n    print('caught')"
    result = run(any_device, [program], 1, Launch(heap=256 << 10, timeout=0.3))
    assert result.stdout[0] == b"caught\n"
