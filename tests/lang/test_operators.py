"""Operators of built-in types and reflected methods, as in CPython."""

from __future__ import annotations

import itertools

from porter.run import Device
from tests.library.compare import ATTEMPT, assert_alike


def _attempts(expressions: list[str], before: str = "") -> str:
    return ATTEMPT + before + "\n".join(f"attempt(lambda: {e})" for e in expressions) + "\n"


BOOLS = """\
import operator
for a in (False, True):
    for b in (False, True):
        for name in ("and_", "or_", "xor"):
            print(getattr(operator, name)(a, b), getattr(operator, "i" + name.strip("_"))(a, b)
                  if name == "xor" else "")
        c = a
        c ^= b
        d = a
        d &= b
        e = a
        e |= b
        print(a ^ b, a & b, a | b, c, d, e, a + b, a.__and__(b), a.__xor__(b), type(a ^ b))
class R:
    def __radd__(self, other): return "radd", other
    def __rand__(self, other): return "rand", other
    def __gt__(self, other): return "gt", other
print(True + R(), False & R(), True < R(), "ab" * True, True * [1], True * (1.5), True - 2.5)
"""


def test_bools(any_device: Device) -> None:
    assert_alike(any_device, BOOLS)


def test_bools_and_other_operands(any_device: Device) -> None:
    operands = ["True", "0", "-5", "2**70", "1.5", "2j", "'a'", "[1]", "None"]
    operators = ["+", "-", "*", "/", "|", "&", "^", "<<", "<", ">=", "==", "!="]
    expressions = []
    for value, operator in itertools.product(operands, operators):
        if value == "2**70" and operator == "<<":
            continue
        expressions += [f"True {operator} {value}", f"{value} {operator} False"]
    skipped = {"[1] + False", "'a' + False", "True / 0", "0 / False", "-5 << False"}
    expressions = [e for e in expressions if e not in skipped and not e.endswith("/ False")]
    assert_alike(any_device, _attempts(expressions))


REPEATED = """\
import array
def repeat(value, times):
    value *= times
    return value
for times in (-3, 0, 1, 2, 7, True, False):
    for value in ([1, "a"], [], bytearray(b"xy"), bytearray(), (1, 2), b"ab", "ab"):
        same = repeat(value, times)
        keeps = type(value) in (list, bytearray)
        print(times, same, value, len(value), same is value if keeps else "")
    for value in (bytearray(b"abc"), [1, 2]):
        print(value * times, times * value, type(value * times))
class L(list):
    pass
class B(bytearray):
    pass
for make in (lambda: L([1, 2]), lambda: B(b"ab")):
    value = make()
    same = value
    value *= 2
    print(value is same, type(value) is type(same), list(same))
    value += make()
    print(value is same, type(value) is type(same), list(same))
a = [1]
a.append(a)
a *= 2
print(len(a), a[1] is a, a[3] is a)
m = array.array("h", [1, 2])
n = m
m *= 3
print(m, n is m)
sieve = bytearray([1]) * 20
sieve[0:2] = bytes(2)
sieve.append(7)
print(sieve, sum(sieve))
"""


def test_repeated_sequences(any_device: Device) -> None:
    assert_alike(any_device, REPEATED)


def test_repeated_sequences_that_are_too_long(any_device: Device) -> None:
    program = """\
import array
values = [[0] * 4, bytearray(4), array.array('q', [1, 2]), (0,) * 4, b'abcd', 'abcd']
for value in values:
    for times in (1 << 59, 1 << 60, 1 << 61, (1 << 61) + 1, 1 << 62, (1 << 63) - 1, 1 << 64):
        for call in (lambda: value * times, lambda: times * value):
            try:
                call()
                print('no')
            except (MemoryError, OverflowError):
                pass
        try:
            value *= times
            print('no')
        except (MemoryError, OverflowError):
            pass
print('end')
"""
    assert_alike(any_device, program)


REFLECTED = """\
def method(name, result):
    def call(self, other):
        print(type(self).__name__ + "." + name, type(other).__name__, end="; ")
        return result
    return call
NAMES = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift",
         "rshift", "matmul"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "@"]
ORDER = [("lt", "<"), ("gt", ">"), ("le", "<="), ("ge", ">="), ("eq", "=="), ("ne", "!=")]
def attributes(forward, backward, order, prefix):
    names = {}
    for name in NAMES:
        if forward:
            result = NotImplemented if forward == 2 else prefix + name
            names["__%s__" % name] = method(name, result)
        if backward:
            result = NotImplemented if backward == 2 else prefix
            names["__r%s__" % name] = method("r" + name, result)
    if order:
        for name, _ in ORDER:
            names["__%s__" % name] = method(name, NotImplemented if order == 2 else prefix + name)
    return names
def show(a, operator, b):
    try:
        print(eval("a " + operator + " b", {"a": a, "b": b}))
    except TypeError:
        print("TypeError")
for forward in range(3):
    for backward in range(3):
        A = type("A", (), attributes(forward, backward, backward, "A"))
        B = type("B", (A,), attributes(backward, forward, forward, "B"))
        C = type("C", (B,), {})
        D = type("D", (), attributes(0, forward, 0, "D"))
        for left, right in ((A, A), (A, B), (B, A), (A, C), (C, A), (B, C), (A, D), (D, D)):
            for operator in SOME:
                print(forward, backward, left.__name__, operator, right.__name__, end=": ")
                show(left(), operator, right())
            both = left is not right and left is not D and right is not D
            for _, operator in ORDER[:4] if both else []:
                print(forward, backward, left.__name__, operator, right.__name__, end=": ")
                show(left(), operator, right())
"""


def test_reflected_methods(any_device: Device) -> None:
    for some in (["+", "-", "@"], ["*", "//", "|"], ["%", "<<"], ["/", "**", "&"], ["^", ">>"]):
        assert_alike(any_device, f"SOME = {some!r}\n{REFLECTED}")


DERIVED = """\
class I(int):
    def __radd__(self, other): return ("radd", other)
    def __rmul__(self, other): return NotImplemented
    def __gt__(self, other): return "gt"
    def __eq__(self, other): return "eq"
    def __ne__(self, other): return "ne"
    def __hash__(self): return 5
class S(str):
    def __radd__(self, other): return ("radd", other)
    def __rmod__(self, other): return ("rmod", other)
    def __eq__(self, other): return "eq"
    __hash__ = str.__hash__
class F(float):
    def __rsub__(self, other): return ("rsub", other)
    def __lt__(self, other): return "lt"
print(1 + I(2), 2 * I(3), 1 < I(0), 3 == I(4), 3 != I(3), 2**70 + I(1), 1.5 < F(1.0))
print("a" + S("b"), "a%s" % S("b"), "a" == S("b"))
print(1.5 - F(1), 1.5 > F(0), 2 - F(1))
class P(int):
    pass
print(1 + P(2), P(1) + 2, P(1) + P(2), 1 < P(2), 1 == P(1), P(1) == 1.0, P(2) ** P(3), 7 % P(4))
class L(list):
    pass
class G(float):
    pass
class U(str):
    pass
print(G(1) + G(2), P(1) - G(2), G(1) - P(2), divmod(P(7), P(2)), 2.5 * P(2))
print(2**70 + P(1), P(5) & P(3))
print(2 * U("a"), P(3) * U("a"), 2 * L([1]), True * L([1]), L([1]) + L([2]), [1] + L([2]))
print(True + P(5), P(1) << P(3), P(2**70) + P(2**70), (1,) + type("T", (tuple,), {})((2,)))
print({1} | type("S", (set,), {})([2]))
class Shown(str):
    def __str__(self): return "shown"
print("%s" % Shown("a"), "%s" % P(3), "a" + Shown("b"))
x = 5
x += P(2)
x *= P(3)
print(x, 7 // P(2), -7 % P(4), 2 ** P(5), 1 / P(4))
for call in (lambda: "a" + P(1), lambda: [1] + P(1), lambda: 1 + U("a"), lambda: 1 + L()):
    try:
        call()
    except TypeError:
        print("TypeError")
class T(tuple):
    def __eq__(self, other): return "T"
    def __hash__(self): return 1
print((1,) == T((2,)), T() == (), (1,) != T((1,)))
"""


def test_classes_that_derive_from_built_in_types(any_device: Device) -> None:
    assert_alike(any_device, DERIVED)


def test_special_methods_of_other_operands(any_device: Device) -> None:
    values = ["1", "True", "1.5", "'a'", "[1]", "(1,)", "{1}", "{1: 2}", "None", "2**70"]
    names = ["eq", "ne", "lt", "ge"]
    expressions = [
        f"({a}).__{name}__({b})"
        for a in values
        for b in values
        for name in names
        if a != "None" and not (a.startswith("{1:") and name in ("lt", "ge"))
    ]
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "radd", "rsub", "divmod"):
        expressions += [
            f"({a}).__{name}__({b})" for a in ("3", "2.5") for b in ("'a'", "None", "[]")
        ]
    expressions += [f"(3).__{name}__(1.5)" for name in ("add", "and", "or", "eq", "lt")]
    expressions += ["(1.5).__add__(2)", "{1}.__or__([1])", "{1}.__or__({2})", "{1}.__le__([1])"]
    assert_alike(any_device, _attempts(expressions))


def test_shifts_by_big_ints(any_device: Device) -> None:
    values = ["1", "-1", "0", "2**100", "-2**100", "True"]
    counts = ["10**20", "2**62", "-10**20", "-1", "2**46"]
    expressions = [f"{v} >> {c}" for v in values for c in counts]
    expressions += [f"0 << {c}" for c in ("10**20", "-10**20", "-1")]
    expressions += ["1 << -10**20"]
    assert_alike(any_device, _attempts(expressions))
