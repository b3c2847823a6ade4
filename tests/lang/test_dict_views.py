"""reversed() of dicts and their views, and isdisjoint() of views, as in CPython."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import ATTEMPT, assert_alike

REVERSED = (
    ATTEMPT
    + """\
from collections import OrderedDict, defaultdict, Counter
class D(dict):
    pass
for make in (dict, OrderedDict, D, Counter, lambda x: defaultdict(int, x)):
    for n in (0, 1, 3, 20):
        d = make({i: -i for i in range(n)})
        if n == 20:
            del d[3], d[19]
            d[3] = 5
        print(list(reversed(d)), list(reversed(d.keys())), list(reversed(d.values())))
        print(list(reversed(d.items())), [*reversed(d)], len(d))
it = reversed({1: 2, 3: 4})
print(next(it), list(it), next(it, "end"))
d = {"a": 1, "b": 2}
print(d.keys().isdisjoint("xy"), d.keys().isdisjoint(["a"]), d.keys().isdisjoint(d),
      d.items().isdisjoint([("a", 1)]), d.items().isdisjoint({}), d.keys().isdisjoint(iter("b")))
attempt(lambda: hasattr(d.values(), "isdisjoint"))
attempt(lambda: d.keys().isdisjoint(5))
attempt(lambda: list({}.__reversed__()))
"""
)


def test_reversed(any_device: Device) -> None:
    assert_alike(any_device, REVERSED)
