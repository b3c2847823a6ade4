"""Classes: annotations, subscripts and unions of types, keyword arguments and hooks."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import assert_alike

ANNOTATIONS = """\
from typing import Optional
class A:
    zeta: int
    alpha: str = "a"
    items: list[int] = []
    pair: dict[str, tuple[int, ...]] = {}
    maybe: int | None = None
    other: "A" = None
    opt: Optional[int] = 5
    self.x: int = 5 if False else 6
    if True:
        inner: float = 1.5
    def f(self, x: int, *args: str) -> "A":
        y: int = x
        z: str
        return y
print(list(A.__annotations__), A.__annotations__["zeta"] is int, A.alpha, A.maybe, A.inner)
print(A.__annotations__["other"], A().f(3))
class B:
    plain = 1
    class C:
        x: int
        y: B.D if False else str = "s"
print(list(B.C.__annotations__), B.C.__annotations__["y"] is str, B.C.y)
print(getattr(B, "__annotations__", {}) == {})
x: int = 5
y: undefined_name if False else int
print(x)
try:
    class D:
        x: undefined_name
except NameError:
    print("NameError")
"""


def test_annotations(any_device: Device) -> None:
    program = ANNOTATIONS.replace("    self.x: int = 5 if False else 6\n", "")
    assert_alike(any_device, program)


def test_postponed_annotations(any_device: Device) -> None:
    assert_alike(
        any_device,
        """\
from __future__ import annotations
class A:
    x: undefined
    y: int = 5
print(A.__annotations__["x"], A.__annotations__["y"], list(A.__annotations__))
""",
    )


def test_dataclasses(any_device: Device) -> None:
    assert_alike(
        any_device,
        """\
from dataclasses import dataclass, field, asdict, replace
from typing import NamedTuple, ClassVar
@dataclass(order=True)
class P:
    x: int
    y: float = 2.5
    tags: list[str] = field(default_factory=list)
    count: ClassVar[int] = 7
@dataclass
class Q(P):
    z: str = "z"
print(P(1), P(1) < P(2), P(1) == P(1), asdict(P(1, 2)), replace(P(1), x=5))
print(Q(1, z="w"), P.count)
try:
    P()
except TypeError as error:
    print("TypeError")
class N(NamedTuple):
    a: int
    b: str = "b"
print(N(1), N(1, "c").b, N(1)._asdict())
""",
    )


def test_subscripts_and_unions(any_device: Device) -> None:
    assert_alike(
        any_device,
        """\
class Box:
    def __class_getitem__(cls, item): return (cls.__name__, item)
class Other:
    @classmethod
    def __class_getitem__(cls, item): return (cls.__name__, item)
class Sub(Box): pass
print(Box[int] == ("Box", int), Other["x"], Sub[1, 2])
list[int]; dict[str, list[int]]; tuple[int, ...]; set[str]; type[int]; frozenset[int]
print(list[int]([1, 2]), isinstance(5, int | str), isinstance("a", int | None | str))
print(isinstance(None, int | None))
print(isinstance(1.5, int | str), issubclass(int, int | str))
for bad in (lambda: int[5], lambda: int | 5, lambda: Plain[int], lambda: 5 | "a",
            lambda: (1, 2) | int):
    try:
        bad()
        print("no error")
    except (TypeError, NameError) as error:
        print(type(error).__name__)
def f(x: list[int] | None = None, *, y: "int" = 3) -> dict[str, int]: return x
print(f())
""",
    )


def test_hooks(any_device: Device) -> None:
    assert_alike(
        any_device,
        """\
class Base:
    registry = []
    def __init_subclass__(cls, tag=None, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.registry.append((cls.__name__, tag))
class A(Base): pass
class B(Base, tag="b"): pass
class C(B, tag="c"):
    class Inner: pass
print(Base.registry)
class Field:
    def __set_name__(self, owner, name):
        self.name = name
        print(owner.__name__, name)
class Model:
    one = Field()
    two = Field()
print(Model.one.name, Model.two.name)
for keywords in ({"tag": 1, "other": 2}, {"wrong": 1}):
    try:
        class D(Base, **keywords): pass
        print("D")
    except TypeError:
        print("TypeError")
try:
    class E(wrong=1): pass
except TypeError:
    print("TypeError")
class F(object, metaclass=type): pass
print(F().__class__.__name__)
""",
    )


def test_abstract_classes(any_device: Device) -> None:
    assert_alike(
        any_device,
        """\
from abc import ABC, ABCMeta, abstractmethod
class Shape(metaclass=ABCMeta):
    @abstractmethod
    def area(self): ...
class Square(Shape):
    def __init__(self, n): self.n = n
    def area(self): return self.n * self.n
print(Square(3).area())
try:
    Shape()
except TypeError:
    print("abstract")
""",
    )


def test_keyword_arguments_belong_to_one_class_statement(any_device: Device) -> None:
    """A call of __build_class__ that fails leaves no keyword arguments for the next class."""
    assert_alike(
        any_device,
        """\
import builtins
for arguments in ((), (1,), (lambda: None,)):
    try:
        builtins.__build_class__(*arguments, x=1)
    except TypeError as error:
        print(type(error).__name__)
class A: pass
class B:
    def __init_subclass__(cls, **given):
        print(given)
        class Inner: pass
        if given:
            raise ValueError
try:
    class C(B, x=1, y=2): pass
except ValueError:
    print("ValueError")
class D(B): pass
print(A.__name__, D.__name__)
""",
    )
