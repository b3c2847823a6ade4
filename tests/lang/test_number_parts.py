"""Instances of classes that derive from numbers, or convert to them, as in CPython."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import ATTEMPT, assert_alike

DERIVED = """\
import copy, json, math
class F(float): pass
class I(int): pass
class S(I): pass
print(int(F(2.5)), float(F(2.5)), float(I(3)), math.sqrt(I(4)), math.floor(F(2.5)), math.log(S(2)))
print('%f' % F(1.5), '%.2f' % I(3), format(F(2.5), '.1f'), complex(F(1)), json.dumps(F(1.5)))
print(F(1) + 1, 1 + F(1), F(1) == 1, I(3) * 2, [1] * I(2), range(S(3)), 'abc'[I(1)])
print(copy.copy(F(2)))
for call in (lambda: len(I(3)), lambda: len(F(3)), lambda: [1][F(0)], lambda: range(F(3))):
    try: print(call())
    except TypeError: print('TypeError')
class C(complex): pass
print(C(1 + 2j) * 2, 2.0 * C(1j), abs(C(3 + 4j)))
"""
CONVERTED = """\
import math
class V:
    def __init__(self, x): self.x = x
    def __float__(self): return float(self.x)
    def __rmul__(self, other): return 'rmul', other
    def __radd__(self, other): return 'radd', other
    def __gt__(self, other): return 'gt', other
print(2.0 * V(3), 2 * V(3), 2.0 + V(1), float(V(2)), 1j * V(3), 2.0 < V(1), math.sqrt(V(4)))
class W:
    def __float__(self): return 2.0
print(2.0 == W(), W() in [2.0], {2.0: 1}.get(W()), 2.0 != W())
attempt(lambda: 2.0 + W())
attempt(lambda: divmod(2.0, W()))
"""
IN_PLACE = """\
from collections import namedtuple
class V(namedtuple('V', 'x y')):
    def __add__(self, other): return V(self.x + other.x, self.y + other.y)
    def __sub__(self, other): return V(self.x - other.x, self.y - other.y)
p = V(1, 2); p += V(3, 4); print(p); p -= V(1, 1); print(p, p * 2)
class M(int):
    def __add__(self, other): return M(int(self) + int(other) + 100)
a = M(5); a += M(4); print(a, type(a).__name__); a -= 1; print(a)
class T(str):
    def __mul__(self, n): return 'mul', n
t = T('x'); t *= 3; print(t); t = T('a'); t += 'b'; print(t)
class L(list):
    def __add__(self, other): return 'no'
l = L([1]); m = l; l += [2]; print(l, l is m, type(l).__name__)
"""
SAME_CLASS = """\
from functools import total_ordering
class A(int):
    def __lt__(self, other): return int(self) > int(other)
print(A(1) > A(2), A(1) < A(2), max([A(1), A(3)]), sorted([A(1), A(3), A(2)]), A(1) >= A(1))
print(1 < A(2))
class M(int):
    def __rsub__(self, other): return 'rsub'
print(M(1) - M(2), 1 - M(2), M(3) == M(3))
@total_ordering
class S(str):
    def __lt__(self, other): return len(self) < len(other)
print(max([S('zz'), S('aaa')]), S('b') + S('a'), S('a') in S('cab'))
class L(list): pass
print(L([1]) + L([2]), L([1]) == L([1]), L([1]) in [L([1])])
"""
BYTES = """\
class B(bytes): pass
print(len(B(b'ab')), bool(B(b'')), {b'a': 1}[B(b'a')], B(b'ab') == b'ab', list(reversed(B(b'ab'))))
print(dict.fromkeys([B(b'a')]), B(b'abc')[1:], B(b'a') + b'b', 97 in B(b'a'))
print(97 in bytearray(b'ab'), 99 in bytearray(b'ab'), b'b' in bytearray(b'ab'))
"""


def test_derived_numbers(any_device: Device) -> None:
    assert_alike(any_device, DERIVED)


def test_conversion_to_float_is_no_operation(any_device: Device) -> None:
    assert_alike(any_device, ATTEMPT + CONVERTED)


def test_assignments_with_operators_use_the_class(any_device: Device) -> None:
    assert_alike(any_device, IN_PLACE)


def test_operands_of_one_class(any_device: Device) -> None:
    assert_alike(any_device, SAME_CLASS)


def test_derived_bytes(any_device: Device) -> None:
    assert_alike(any_device, BYTES)
