"""Results of CPython 3.13 in number formats, statistics and pprint, as literals.

Older releases of CPython, which may run these tests, have other results.
"""

from __future__ import annotations

from porter.run import Device

from .compare import printed

# A fraction, a format specification, and the text.
FRACTIONS = [
    ("-99999/100000", "*^ 5_.10f", "-0.9999900000"),
    ("123456789", "*< z.3f", " 123456789.000"),
    ("22/7", "z5,.3E", "3.143E+00"),
    ("1000000000000/7", " 020.3e", " 00000000001.429e+11"),
    ("5/2", "-#5.0g", "   2."),
    ("-1/20000", "*<+z12.0%", "+0%*********"),
    ("1/3", "-20_.0f", "                   0"),
    ("-99999/100000", " #5.1E", "-1.0E+00"),
    ("1/2", " 5.10f", " 0.5000000000"),
    ("123456789", "-012.3%", "12345678900.000%"),
    ("-1/20000", "5.3e", "-5.000e-05"),
    ("5/2", " 20.3f", "               2.500"),
    ("123456789", "x<-z5_%", "12_345_678_900.000000%"),
    ("123456789", " z#20.0E", "              1.E+08"),
    ("-1/3", "-012.3f", "-0000000.333"),
    ("123456789", "x<-20,.0G", "1E+08xxxxxxxxxxxxxxx"),
    ("-99999/100000", "z12,.0E", "      -1E+00"),
    ("1/3", " #12.3E", "   3.333E-01"),
    ("-1/20000", "+0e", "-5.000000e-05"),
    ("-99999/100000", "012.0g", "-00000000001"),
    ("1/2", "012E", "5.000000E-01"),
    ("-1/20000", "-012.0e", "-0000005e-05"),
    ("1000000000000/7", " z#12.1G", "      1.E+11"),
    ("22/7", "x>-.10E", "3.1428571429E+00"),
    ("5/2", "-#_.10f", "2.5000000000"),
    ("-1/20000", "+12f", "   -0.000050"),
    ("-1/20000", "+#20.3e", "          -5.000e-05"),
    ("1000000000000/7", "12.3E", "   1.429E+11"),
    ("-1/3", ",.0g", "-0.3"),
    ("5/2", " _.3G", " 2.5"),
    ("1000000000000/7", " #020.10G", " 00001.428571429E+11"),
    ("5/2", "= 20f", "            2.500000"),
    ("0", "0=-12f", "00000.000000"),
    ("5/2", "x^-5.0g", "xx2xx"),
    ("-1/3", "-05.1F", "-00.3"),
    ("-1/20000", " #,.0E", "-5.E-05"),
    ("123456789", "+z,.0e", "+1e+08"),
    ("-1/20000", "+,.3g", "-5e-05"),
    ("1/3", "+_.0f", "+0"),
    ("1/1000000", "^+z#5e", "+1.000000e-06"),
    ("-99999/100000", "+5.0g", "   -1"),
    ("-1/3", "0< 20.1g", "-0.30000000000000000"),
    ("-1/20000", ">z#20,.10%", "      -0.0050000000%"),
    ("123456789", "012,.3E", "0,001.235E+08"),
    ("123456789", "+z#020G", "+000000001.23457E+08"),
    ("0", "z12f", "    0.000000"),
    ("999999", "+.3g", "+1e+06"),
    ("123456789", " z020.1g", " 000000000000001e+08"),
    ("-1/20000", " z#5.10%", "-0.0050000000%"),
    ("123456789", "z20,.0E", "               1E+08"),
    ("999999", "-12_.1%", "99_999_900.0%"),
    ("1/2", " z20.0g", "                 0.5"),
    ("123456789", "z#0,.10g", "123,456,789.0"),
    ("1/2", "-.1g", "0.5"),
    ("5/2", "+z12.0f", "          +2"),
    ("22/7", ">#5.1F", "  3.1"),
    ("5/2", "z20E", "        2.500000E+00"),
    ("1/1000000", "0,e", "1.000000e-06"),
    ("5/2", "#5.10g", "2.500000000"),
    ("5/2", "=0.10F", "2.5000000000"),
]
INVALID = ["z#05.1", "-z020.3", "<012.3f", "5x", ".f", "08", "-z5", "##f", "_,f", ".2d"]

STATISTICS = {
    "covariance([1.1, 2.2, 3.7], [.3, .9, .4])": "0.028333333333333363",
    "correlation([1, 2, 4], [.3, .9, .4])": "-0.033942211665106484",
    'correlation([3, 1, 2, 2], [1, 5, 2, 9], method="ranked")': "-0.6324555320336759",
    "tuple(linear_regression([1.1, 2.2, 3.7], [.3, .9, .4]))":
        "(0.01663405088062624, 0.49452054794520545)",
    "tuple(linear_regression([1, 2, 4], [3, 5, 7], proportional=True))":
        "(1.9523809523809523, 0.0)",
    "fmean([1.5, 2.25, 3.1], [0.1, 0.7, 0.3])": "2.4136363636363636",
    "harmonic_mean([40, 60])": "48.0",
    "harmonic_mean([5])": "5",
    "harmonic_mean([40, 60], weights=[5, 30])": "56.0",
    "harmonic_mean([2.5, 3, 10])": "3.6",
    "harmonic_mean([Fraction(1, 3), Fraction(2, 5)])": "Fraction(4, 11)",
    "harmonic_mean([1, 0])": "0",
    "quantiles([5])": "[5, 5, 5]",
    "quantiles([5], n=3)": "[5, 5]",
    "NormalDist(1.5, 2.5).cdf(-3)": "0.035930319112925824",
}  # fmt: skip

PPRINT = """
import pprint
from collections import Counter, OrderedDict, defaultdict, deque
pprint.pprint([
    OrderedDict(a="x" * 20, b="y" * 20), deque(range(12)), deque(["a" * 15, "b" * 15], 5),
    Counter({i: 1 for i in range(8)}), defaultdict(None, {"key": "v" * 30, "other": 1}),
    OrderedDict(), Counter(), deque([1], 2),
], width=30)
"""
PRINTED = """\
[OrderedDict([('a',
               'xxxxxxxxxxxxxxxxxxxx'),
              ('b',
               'yyyyyyyyyyyyyyyyyyyy')]),
 deque([0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10,
        11]),
 deque(['aaaaaaaaaaaaaaa',
        'bbbbbbbbbbbbbbb'],
       maxlen=5),
 Counter({0: 1,
          1: 1,
          2: 1,
          3: 1,
          4: 1,
          5: 1,
          6: 1,
          7: 1}),
 defaultdict(None,
             {'key': 'vvvvvvvvvvvvvvvvvvvvvvvvvvvvvv',
              'other': 1}),
 OrderedDict(),
 Counter(),
 deque([1], maxlen=2)]
"""


def test_fractions(any_device: Device) -> None:
    program = "from fractions import Fraction\n"
    program += f"for text, spec, _ in {FRACTIONS!r}: print(format(Fraction(text), spec))\n"
    assert printed(any_device, program).splitlines() == [each[2] for each in FRACTIONS]


def test_invalid_formats(any_device: Device) -> None:
    program = f"""
from fractions import Fraction
for spec in {INVALID!r}:
    try:
        print(format(Fraction(1, 3), spec))
    except ValueError as error:
        print(error)
"""
    text = "Invalid format specifier %r for object of type 'Fraction'"
    assert printed(any_device, program).splitlines() == [text % spec for spec in INVALID]


def test_statistics(any_device: Device) -> None:
    program = "from statistics import *\nfrom fractions import Fraction\n"
    program += "\n".join([f"print(repr({expression}))" for expression in STATISTICS])
    assert printed(any_device, program).splitlines() == list(STATISTICS.values())


def test_pprint(any_device: Device) -> None:
    assert printed(any_device, PPRINT) == PRINTED
