"""Methods and operators of str accept instances of subclasses of str."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import assert_alike, calls

CLASSES = """\
import json
from enum import Enum

class S(str):
    pass

class M(str, Enum):
    A = "a"
    B = "b"

class T:
    pass

class U:
    __hash__ = None

class X:
    def __hash__(self):
        return hash("a")

    def __eq__(self, other):
        return other == "a"
"""
EXPRESSIONS = [
    "','.join([S('a'), 'b'])", "'é'.join([S('x'), S('y')])", "S('ab').join(['x', 'y'])",
    "S('x') in 'xyz'", "'x' in S('xyz')", "'a' + S('b')", "S('a') + 'b'", "'a' < S('b')",
    "S('b') > 'a'", "'ab'.startswith(S('a'))", "'ab'.replace(S('a'), S('x'))",
    "'a,b'.split(S(','))", "'abc'.find(S('b'))", "'abc'.count(S('b'))", "'abc'.strip(S('a'))",
    "'abc'.partition(S('b'))", "'abc'.endswith(S('c'))", "'abc'.index(S('c'))", "int(S('5'))",
    "sorted([S('b'), 'a'])", "getattr('a', S('upper'))()", "ord(S('a'))", "S('a') == 'a'",
    "'a,b'.rsplit(S(','))", "'a,b,c'.rsplit(S(','), 1)", "'a' + T()", "T() in 'x'",
    "','.join([T()])",
    "b'a'.find(S('a'))",
    "b','.join([S('a')])", "eval(S('1 + 1'))", "'%s' % S('a')", "'{}'.format(S('a'))",
    "{'a': 1}[S('a')]", "{S('a'): 1}['a']", "{'a': 1}.get(S('b'))", "S('a') in {'a': 1}",
    "S('a') in {'b': 1}", "{'a': 1, S('a'): 2}", "{'a': 1}[M.A]", "{M.A: 1}['a']",
    "M.B in {'a': 1}",
    "T() in {'a': 1}", "{'a': 1}.pop(S('a'))", "{'a': 1}[U()]", "X() in {'a': 1}",
    "json.dumps(M.A)", "json.dumps({M.A: [M.B]})", "json.dumps([S('a')], indent=1)",
]  # fmt: skip


def test_subclasses(any_device: Device) -> None:
    assert_alike(any_device, calls(CLASSES, EXPRESSIONS))
