"""C code that reads a dict or tuple reads instances of subclasses too (patch native-parts)."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run
from tests.cpython import cpython

CLASSES = """\
class D(dict): pass
class T(tuple): pass
class Bare(dict):
    def __init__(self): self.found = dict_of(self)
def dict_of(x):
    try:
        return dict(x)
    except AttributeError as error:
        return error
from collections import OrderedDict, namedtuple
class M:
    def keys(self): return ['k']
    def __getitem__(self, key): return key * 2
P = namedtuple('P', 'x y')
"""
CALLS = [
    "dict(D(a=1))",
    "{}.update(D(a=1))",
    "dict(OrderedDict([('a', 1)]))",
    "list(OrderedDict(c=1, b=2, a=3))",
    "list(OrderedDict({'c': 1, 'b': 2, 'a': 3}).items())",
    "dict(M())",
    "OrderedDict(M())['k']",
    "'%d-%d' % P(1, 2)",
    "'%s' % D(a=1)",
    "dict(D(a=1), b=2) == {'a': 1, 'b': 2}",
    "{1: 2} | D(a=1) == {1: 2, 'a': 1}",
    "type('A', (), D(a=1)).a",
    "type('A', (), OrderedDict(a=1)).a",
    "T([1]) + T([2])",
    "(1,) + T([2, 3])",
    "T() + T()",
    "P(1, 2) + P(3, 4)",
    "(0,) + P(1, 2) + (3,)",
    "P(1, 2) * 2",
    "list(P(1, 2)._asdict())",
    "list(namedtuple('Q', 'zeta alpha mu beta')(1, 2, 3, 4)._asdict())",
]
INVALID = [
    ("(1,) + [2]", "TypeError"),
    ("(1,) + D()", "TypeError"),
    ("T() + [2]", "TypeError"),
    ("type('A', (), T())", "TypeError"),
    ("type('A', (), [])", "TypeError"),
    ("dict(T([1]))", "TypeError"),
    ("dict(T(['abc']))", "ValueError"),
    ("'%d' % P(1, 2)", "TypeError"),
    ("dict(type('K', (), {'keys': lambda self: [1]})())", "TypeError"),
]


def test_the_native_part_is_read(any_device: Device) -> None:
    program = CLASSES + "".join(f"print({call})\n" for call in CALLS)
    result = run(any_device, [program], 2, Launch(heap=64 << 10))
    assert (result.stdout[1], result.stderr[1]) == (cpython(program), b"")


@pytest.mark.parametrize(("call", "error"), INVALID)
def test_other_objects_are_refused(any_device: Device, call: str, error: str) -> None:
    program = f"{CLASSES}try:\n    {call}\nexcept {error}:\n    print('refused')\n"
    assert run(any_device, [program], 2).stdout[0] == b"refused\n"


def test_an_init_that_calls_no_init(any_device: Device) -> None:
    program = f"{CLASSES}print(Bare().found)\n"
    assert run(any_device, [program], 2).stdout[0] == cpython(program)


def test_uctypes_take_a_dict_of_a_subclass(any_device: Device) -> None:
    program = CLASSES + (
        "import uctypes\n"
        "inner = D(low=uctypes.UINT8 | 0, high=uctypes.UINT8 | 1)\n"
        "layout = D(word=uctypes.UINT16 | 0, parts=(0, inner))\n"
        "data = bytearray(b'\\x01\\x02')\n"
        "it = uctypes.struct(uctypes.addressof(data), layout, uctypes.LITTLE_ENDIAN)\n"
        "print(it.word, it.parts.high, uctypes.sizeof(layout), uctypes.sizeof(it))\n"
    )
    assert run(any_device, [program], 2).stdout[0] == b"513 2 2 2\n"
