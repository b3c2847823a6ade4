"""Subclasses of native types: functions that expect the native struct refuse other instances."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run
from tests.cpython import cpython

GUARDED = """\
import array, collections, io, ujson as json
{classes}
try:
    {call}
except {error}:
    print('refused')
"""
METHODS = [
    ("class T(list): pass", "T.count(0, 0)"),
    ("class T(list): pass", "T.append(1, 2)"),
    ("class T(list): pass", "T.sort({})"),
    ("class T(bytearray): pass", "T.extend(5, b'a')"),
    ("class T(dict): pass", "T.get(5, 6)"),
    ("class T(array.array): pass", "T.append(5, 6)"),
    ("class T(collections.OrderedDict): pass", "T.popitem(5)"),
    ("class T(str): pass", "T.upper(5)"),
    ("class T(io.BytesIO): pass\nclass U(T): pass", "U.getvalue(5)"),
]
STREAMS = [
    "json.dump(1, T())",
    "json.load(T())",
    "io.BufferedWriter(T(), 4).write(b'abcdefgh')",
]


BOUND = """\
import collections, io
class A: pass
class T(list):
    def f(self): return super().append(1)
class U(list):
    def f(self): return super((int, str), 5).append
def attempt(call):
    try:
        call()
        print('done')
    except TypeError:
        print('refused')
for owner, name, args in [
    (list, 'append', (1,)), (dict, 'keys', ()), (str, 'upper', ()), (bytes, 'decode', ()),
    (bytearray, 'extend', (b'a',)), (tuple, 'count', (1,)), (set, 'add', (1,)),
    (frozenset, 'copy', ()), (memoryview, 'hex', ()),
    (io.BytesIO, 'getvalue', ()), (io.StringIO, 'getvalue', ()),
    (collections.deque, 'append', (1,)),
    (type((i for i in ())), 'close', ()),
]:
    raw = owner.__dict__[name]
    for self in (5, None, A(), print, owner, 'x' if owner is not str else 5.5):
        attempt(lambda: raw(self, *args))
    for method in ('__call__', '__add__', '__getitem__', '__getattr__', '__enter__', '__iter__'):
        B = type('B', (), {method: raw})
        attempt(lambda: getattr(B(), method)(5, *args))
attempt(lambda: T.f(5))
attempt(lambda: U.f(5))
attempt(lambda: super((int, str), 5).append)
attempt(lambda: super(5, 5))
"""
CALLED = """\
class A: __call__ = type
class B: __call__ = len
class C: __call__ = int
class D: __call__ = print
class E: __call__ = A()
print(A()(1), B()([1]), C()('5'), E()(2))
D()(1, 2, sep='-')
print(list(map(B(), [[1], []])))
"""


def test_a_method_of_a_dict_checks_its_self(any_device: Device) -> None:
    result = run(any_device, [BOUND], 1, Launch(stdout=1 << 16))
    assert set(result.stdout[0].split()) == {b"refused"}


def test_a_native_function_as_call(any_device: Device) -> None:
    assert run(any_device, [CALLED], 1).stdout[0] == cpython(CALLED)


@pytest.mark.parametrize(("classes", "call"), METHODS)
def test_a_method_checks_its_self(any_device: Device, classes: str, call: str) -> None:
    program = GUARDED.format(classes=classes, call=call, error="TypeError")
    assert run(any_device, [program], 2).stdout[0] == b"refused\n"


@pytest.mark.parametrize("call", STREAMS)
def test_an_object_of_a_class_is_no_native_stream(any_device: Device, call: str) -> None:
    program = GUARDED.format(classes="class T(io.BytesIO): pass", call=call, error="OSError")
    assert run(any_device, [program], 2).stdout[0] == b"refused\n"


def test_what_is_meant_goes_on(any_device: Device) -> None:
    program = """
import collections, io
class L(list):
    def append(self, x): super().append(x + 1)
l = L([1]); l.append(2); l.extend([5]); print(l, list.count([1, 1], 1), L.__name__)
class D(dict):
    f = len
    @staticmethod
    def g(x): return x
print(D.fromkeys('ab') == {'a': None, 'b': None}, D.f([1]), D(a=1).f([1, 2]), D.g(3))
class I(int): pass
print(I.from_bytes(b'\\1', 'big'), I(5) + 1)
class E(ValueError):
    def __init__(self, x): super().__init__(x, 1)
print(E(2).args)
class S(io.IOBase):
    def write(self, text): out.append(text); return len(text)
class R(S): pass
out = []
print('x', file=S()); print('y', file=R()); print(repr(''.join(out)))
b = type('B', (io.BytesIO,), {})(b'abc'); print(b.read(2), b.getvalue())
print('z', file=b); print(b.getvalue())
"""
    expected = b"[1, 3, 5] 2 L\nTrue 1 2 3\n1 6\n(2, 1)\n'x\\ny\\n'\nb'ab' b'abc'\nb'abz\\n'\n"
    result = run(any_device, [program], 2)
    assert (result.stdout[0], result.stderr[0]) == (expected, b"")


def test_an_object_that_is_not_initialised_as_its_base(any_device: Device) -> None:
    program = """
import collections, array
N = collections.namedtuple('N', 'a b')
def bare(base):
    class T(base):
        def __init__(self, *a): pass
    return T(1, 2)
class D(N): pass
class A(bytearray): pass
print(D(1, 2) == (1, 2), (1, 2) == D(1, 2), (1, 2) < D(1, 3), list(D(3, 4)), bytes(A(b'xy')))
for base in (list, dict, bytearray, tuple, set, array.array, str, N, collections.deque):
    for use in (lambda o: list(o), lambda o: bytes(memoryview(o)), lambda o: (1, 2) == o,
                lambda o: b'a' + o, lambda o: max(*o), lambda o: sum(o)):
        try:
            use(bare(base))
        except (TypeError, NotImplementedError, AttributeError):
            pass
print('on')
"""
    result = run(any_device, [program], 2)
    result.raise_for_status()
    assert result.stdout[0] == b"True True True [3, 4] b'xy'\non\n"


NO_OBJECTS = ["0", "None", "ValueError", "object()", "Plain()", "ValueError(1)"]


@pytest.mark.parametrize("what", NO_OBJECTS)
def test_a_native_init_checks_its_self(any_device: Device, what: str) -> None:
    program = GUARDED.format(
        classes="class Plain: pass",
        call=f"super(ValueError, ValueError).__init__({what})",
        error="TypeError",
    )
    assert run(any_device, [program], 2).stdout[0] == b"refused\n"


def test_a_native_init_makes_the_native_object(any_device: Device) -> None:
    program = """\
class E(ValueError):
    def __init__(self, x):
        super().__init__(x, 2)
class L(list):
    def __init__(self):
        super(L, self).__init__([1, 2])
print(E(1).args, len(L()), L()[1])
"""
    assert run(any_device, [program], 2).stdout[0] == b"(1, 2) 2 2\n"


# Attributes that `super` finds for a type, and for an object of a native type: neither has a native
# base object. CPython prints the same.
SUPER = """\
from collections import OrderedDict
class D(dict):
    @classmethod
    def make(cls): return cls
class E(D):
    @classmethod
    def make(cls): return super(E, cls).make()
print(E.make() is E)
ordered = OrderedDict([(1, 2)])
for call in (lambda: list(super(OrderedDict, ordered).keys()), lambda: super(E, E()).get(1, 5),
        lambda: super(OrderedDict, ordered).get(1), lambda: super(E, E).fromkeys([1]),
        lambda: super(D, D).get({}, 1, 3), lambda: super(E, E).get({1: 2}, 1)):
    print(call())
for call in (lambda: super(E, E).get(E, 1), lambda: list(super(E, E)), lambda: super(D, D).pop(),
        lambda: super(E, E).missing, lambda: super(type, type).missing, lambda: super(E, 5)):
    try:
        call()
    except (TypeError, AttributeError) as error:
        print(type(error).__name__)
"""


def test_super_of_types_and_native_objects(any_device: Device) -> None:
    result = run(any_device, [SUPER], 2)
    assert (result.stdout[0], result.stderr[0]) == (cpython(SUPER), b"")
