"""Attributes of instances, static methods and functions that no program defines, as in CPython."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import ATTEMPT, assert_alike

OBJECT = """\
class A:
    def __repr__(self): return 'me'
a = A()
print(a.__str__(), a.__repr__(), a.__eq__(a), a.__ne__(a), a.__hash__() == hash(a))
print(a.__eq__(1), '__class__' in a.__dir__())
class B:
    def __eq__(self, other): return True
print(B().__hash__, B().__ne__(1))
class C:
    def __getattr__(self, name): return 'ga ' + name
print(C().__str__()[:3] != 'ga ', C().foo, f'{C()}'[:3] != 'ga ')
"""
STATIC = """\
class A:
    add = staticmethod(lambda x, y=1: x + y)
    table = {'a': add}
    @staticmethod
    def double(x): return x * 2
    four = double(2)
    def call(self): return self.table['a'](1, y=5)
print(A.table['a'](3), A.four, A().call(), A.double(4))
@staticmethod
def function(x): return x
print(function(3))
"""
ARGUMENTS = """\
class A: pass
attempt(lambda: A(1))
attempt(lambda: A(x=1))
class N:
    def __new__(cls, *args): return super().__new__(cls)
class P(N): pass
print(type(P(1, 2)).__name__)
class D(dict): pass
class T(tuple): pass
class E(Exception): pass
print(D(a=1), T([1]), E(1, 2).args)
class Meta(type):
    def __call__(cls, *args): return super().__call__()
class M(metaclass=Meta): pass
print(type(M(1, 2)).__name__)
"""
EXCEPTIONS = """\
class E(Exception):
    def __init__(self, message, code): self.message = message; self.code = code
for arguments, keywords in ((('bad',), {'code': 4}), ((), {'message': 'bad', 'code': 1})):
    try: raise E(*arguments, **keywords)
    except E as error: print(error.args, error.code, str(error), repr(error))
class F(ValueError):
    def __init__(self, *, code=1): super().__init__('text'); self.code = code
print(F(code=3).args, F(code=3).code)
try: ValueError(code=3)
except TypeError as error: print(error)
class NotFound(KeyError, AttributeError): pass
for kind in (KeyError, AttributeError, LookupError):
    try: raise NotFound('x')
    except kind as error: print(repr(error), error, error.args)
class P(OSError, ValueError): pass
try: raise P(2, 'no')
except ValueError as error: print(error.errno, error)
"""
FUNCTIONS = """\
import functools, inspect, math, operator, types
def f(): pass
def g(): yield 1
def h():
    x = 1
    def k(): return x
    def m(): yield x
    return k, m
k, m = h()
for function in (f, g, k, m, lambda: 0, len, print, types):
    print(isinstance(function, types.FunctionType), type(function) is types.FunctionType,
          isinstance(function, (types.FunctionType, types.BuiltinFunctionType)),
          inspect.isfunction(function), inspect.isgeneratorfunction(function))
print(type(g).__name__, type(k).__name__, isinstance(g(), types.GeneratorType))
print([x.__name__ for x in (min, max, sum, len, print, sorted)])
print([x.__name__ for x in (math.sqrt, math.floor, operator.add)])
@functools.wraps(len)
def wrapped(): pass
print(wrapped.__name__, len.__qualname__)
"""


def test_methods_of_object(any_device: Device) -> None:
    assert_alike(any_device, OBJECT)


def test_static_methods_are_callable(any_device: Device) -> None:
    assert_alike(any_device, STATIC)


def test_arguments_of_a_class_without_init(any_device: Device) -> None:
    assert_alike(any_device, ATTEMPT + ARGUMENTS)


def test_exceptions(any_device: Device) -> None:
    assert_alike(any_device, EXCEPTIONS)


def test_types_and_names_of_functions(any_device: Device) -> None:
    assert_alike(any_device, FUNCTIONS)
