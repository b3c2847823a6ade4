"""Items of containers are found and compared by identity first, as in CPython."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import assert_alike

IDENTITY = """\
nan = float("nan")
class Never:
    def __eq__(self, other): return False
    def __hash__(self): return 1
never = Never()
for x in (nan, never):
    print(x in [x], x in (x,), x in [1, x], [x] == [x], (x,) == (x,), [1, x] != [1, x], x == x)
    print([x].index(x), (1, x).index(x), [x, x].count(x), (x, 1).count(x), {1: x} == {1: x})
    a = [1, x, 2]
    a.remove(x)
    print(a, [x] < [x], [x, 1] < [x, 2], (x, 1) <= (x, 1), len({x: 1}), x in {x}, {x: 2}[x])
    print([[x]] == [[x]], ((x,), 1) == ((x,), 1), x in iter([x]), [x, 1] in [[x, 1]])
    print(x in {1: x}.values(), (1, x) in {1: x}.items())
print(Never() in [never], [Never()] == [never], nan == nan, nan != nan)
from collections import deque, OrderedDict
d = deque([nan, never])
print(nan in d, never in d, d.count(nan), d.index(never), d == deque([nan, never]))
print(OrderedDict(a=nan) == OrderedDict(a=nan))
class Raises:
    def __eq__(self, other): raise ValueError
r = Raises()
print(r in [r], [r] == [r], [r].index(r))
"""


def test_identity(any_device: Device) -> None:
    assert_alike(any_device, IDENTITY)
