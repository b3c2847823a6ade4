"""Format specifications, replacement fields and the operator %: CPython's results and messages."""

from __future__ import annotations

import random

from porter.run import Device
from tests.library.compare import assert_alike

SHOW = """\
def show(call):
    try:
        print(repr(call()))
    except Exception as error:
        print(type(error).__name__, error if type(error) is not KeyError else "")

"""
INTEGERS = ["0", "1", "-1", "255", "-1234567", "10**20", "True", "65", "8364", "-(2**70)"]
FLOATS = [
    "0.0", "-0.0", "1.5", "-2.5", "1234567.891", "1e16", "1e22", "0.1", "1e-5", "-0.001", "1e100",
    "float('inf')", "-float('inf')", "float('nan')", "99.995", "5e-324",
]  # fmt: skip
TEXTS = ["''", "'abc'", "'é€'", "'\\U0001f600x'"]
COMPLEX = ["1+2j", "1j", "-1.5-0.0j", "1234.5+2e20j"]
OTHERS = ["None", "[1]", "(1,)", "b'a'", "{1: 2}"]


def _program(expressions: list[str]) -> str:
    return SHOW + "".join(f"show(lambda: {text})\n" for text in expressions)


def _specification(source: random.Random) -> str:
    parts = [
        ["", "", "*", "€", "0", "<"],
        ["", "<", ">", "^", "="],
        ["", "", "+", "-", " "],
        ["", "", "", "z"],
        ["", "", "#"],
        ["", "", "0"],
        ["", "", "1", "12", "20"],
        ["", "", ",", "_"],
        ["", "", ".0", ".2", ".17", "."],
        ["", *"bcdeEfFgGnosxX%", "y", "é"],
    ]
    fill, align, *rest = [source.choice(part) for part in parts]
    return (fill + align if align else "") + "".join(rest)


def test_specifications(any_device: Device) -> None:
    source = random.Random(1)
    values = [*INTEGERS, *FLOATS, *TEXTS, *COMPLEX, *OTHERS]
    for _ in range(4):
        assert_alike(
            any_device,
            _program(
                [f"format({source.choice(values)}, {_specification(source)!r})" for _ in range(500)]
            ),
        )


def test_percent(any_device: Device) -> None:
    source = random.Random(2)
    values = [*INTEGERS, *FLOATS, *TEXTS, "None", "[1]", "(1,)", "(1, 2)", "()", "{'a': 1}"]
    expressions = []
    for _ in range(1200):
        flags = "".join(source.sample("-+ #0", source.choice([0, 0, 1, 2])))
        width, precision = (
            source.choice(["", "", "1", "8"]),
            source.choice(["", "", ".", ".0", ".3"]),
        )
        kind = source.choice("cdiouxXeEfFgGsra%y")
        key = source.choice(["", "", "", "(a)"])
        value = source.choice([v for v in values if v != "[1]" or not key])
        expressions.append(f"{f'%{key}{flags}{width}{precision}{kind}'!r} % {value}")
    expressions += [
        "'%*d|%-*d|' % (5, 1, 5, 2)", "'%*d|' % (-5, 1)", "'%.*f' % (2, 1.234)",
        "'%*s' % ('a', 'b')",
        "'%ld %hd' % (5, 6)", "'%' % ()", "'%5' % 1", "'%(a' % {'a': 1}", "'%(a)s' % 5",
        "'a' % [1]",
        "'%s %s' % (1,)", "'%s' % ()", "'a' % 1", "b'%d %s %b %a' % (5, b'a', b'b', 'é')",
        "b'%s' % 'a'", "b'%c' % 65", "b'%c' % b'a'", "b'%c' % 256", "b'%(a)d' % {b'a': 1}",
        "'%c' % 'ab'", "'%c' % -1", "'%(a)s %(b)5.1f|' % {'a': 1, 'b': 2}",
    ]  # fmt: skip
    assert_alike(any_device, _program(expressions))


def test_fields(any_device: Device) -> None:
    expressions = [
        '"{} {}".format(1, 2)', '"{0} {1} {0}".format(1, 2)', '"{} {1}".format(1, 2)',
        '"{0} {}".format(1, 2)', '"{}".format()', '"{a}".format()', '"{a.real}".format(a=1)',
        '"{a[0][1]}".format(a=["xy"])', '"{!r} {!s} {!a}".format("é", "é", "é")',
        '"{!x}".format(1)', '"{!}".format(1)', '"{!rr}".format(1)', '"{0!r:>5}".format("a")',
        '"{:{}}".format(5, 10)', '"{:{w}.{p}}".format(5.123, w=10, p=2)',
        '"{:{}{}}".format("x", ">", 10)', '"{:{:{}}}".format(1, 2, 3)', '"{".format(1)',
        '"}".format(1)', '"{{}} {{{}}}".format(1)', '"{0".format(1)', '"{a[}".format(a=1)',
        '"{a[]}".format(a=1)', '"{a.}".format(a=1)', '"{a[0]x}".format(a=[1])', '"{:}}".format(1)',
        '"{ }".format(1)', '"{-1}".format(1)', '"{:%Y}".format(5)',
        '"{a}{b}".format_map({"a": 1, "b": 2})',
        'f"{5:{3}d}|{1.5!r:>10}|{2:{chr(62)}{4}}"', '"{a{}}".format(a=1)',
        'format("abc")', 'format(1, 5)', 'format(1, None)', '"{:,}|{:_}".format(1234.5, 10**20)',
    ]  # fmt: skip
    assert_alike(any_device, _program(expressions))


def test_classes(any_device: Device) -> None:
    assert_alike(
        any_device,
        SHOW
        + """\
class A:
    def __format__(self, spec):
        return "A<%s>" % spec

class B:
    def __str__(self):
        return "bee"

class C:
    def __format__(self, spec):
        return 5

class D(str):
    pass

class E(int):
    pass

class F(float):
    pass

for value in (A(), B(), C(), D("x"), E(5), F(1.5)):
    for spec in ("", ">5", "d", ".2f"):
        show(lambda: format(value, spec))
        show(lambda: "{:{}}".format(value, spec))
print(f"{A():x} {B()!s:>5} {A()}", "%s %r" % (B(), D("q")))
""",
    )


PLAIN = """\
class S(str):
    pass
class I(int):
    pass
class T(str):
    def __str__(self):
        return "T!"
class O:
    def __str__(self):
        return "<O>"
    def __repr__(self):
        return "O()"
class F:
    def __format__(self, spec):
        return "F" + spec
    def __repr__(self):
        return "F()"
"""
VALUES = [
    "0", "1", "-1", "9", "10", "-10", "12345", "2**32 - 1", "2**32", "2**32 + 1", "-(2**32)",
    "10**9", "10**10", "2**46 - 1", "2**46", "-(2**46)", "-(2**46) - 1", "2**63", "10**25",
    "True", "False", "None", "1.5", "[1, 'a']", "(1,)", "b'ab'", "S('sub')", "I(5)", "T('t')",
    "O()", "F()", "''", "'a'", "'len'", "'é'", "'€x'", "'x' * 31", "'x' * 32", "'y' * 33",
    "'z' * 100",
]  # fmt: skip
PARTS = ["", "", "a", "é", ": ", "x" * 14, "y" * 15, "z" * 40]


def _plain(source: random.Random) -> str:
    """Return an expression that makes a text of values, mostly without a specification."""
    kind = source.randrange(4)
    if kind == 0:
        return f"str({source.choice(VALUES)})"
    count = source.randrange(1, 5)
    values = [source.choice(VALUES) for _ in range(count + (source.random() < 0.1))]
    fields = ["{}", "{}", "{}", "{:5}", "{!r}", "{0}", "{:>4}"]
    fields = ["%s", "%s", "%d", "%d", "%r", "%5s", "%-4d", "%03d", "%+d"] if kind == 1 else fields
    text = "".join(source.choice(PARTS) + source.choice(fields) for _ in range(count))
    text += source.choice(PARTS)
    if kind == 1:
        return f"{text!r} % ({', '.join(values)},)"
    return f"{text!r}.format({', '.join(values)})"


def test_plain_fields(any_device: Device) -> None:
    source = random.Random(7)
    for _ in range(4):
        assert_alike(any_device, PLAIN + _program([_plain(source) for _ in range(500)]))


def test_texts_that_grow(any_device: Device) -> None:
    """Check texts around the sizes of the heap's blocks, made by fields and printed with quotes."""
    assert_alike(
        any_device,
        """\
import json
for n in range(140):
    a, b = "x" * n, "y" * (n // 2)
    one, two = "%s%s%d" % (a, b, n), "{}{}{}".format(a, b, n)
    print(one == two == a + b + str(n), len(one), one[n:n + 3], {two: 1}.get(one), str(one) == one)
    print(repr(["'" + a, '"' + b, "\\n" + b + "\\t", "\\\\" + a + "\\x07\\x7f"])[n:n + 40])
    print(json.dumps([a + '"', "\\n" + b + "\\t", "\\\\" + a + "\\x1f", "é" + b])[n:n + 40])
""",
    )
