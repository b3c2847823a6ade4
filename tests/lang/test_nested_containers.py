"""Containers that contain themselves are printed as in CPython."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import assert_alike

NESTED = """\
from collections import deque
a = [1]
a.append(a)
print(a, str(a), repr(a), "%s %r" % (a, a), f"{a} {a!r}", "{}".format(a))
d = {}
d["d"] = d
d["a"] = a
d["v"] = [d]
print(d)
t = ([], 2)
t[0].append(t)
print(t, t[0])
b = [2]
a.append(b)
b.append(a)
print(a, b, [a, a], (b, b))
q = deque([1])
q.append(q)
print(q, [q])
q = deque([1], 3)
q.append(q)
print(q)
shared = [1]
print([shared, shared], {1: shared, 2: shared}, (shared, [shared]))
class L(list):
    pass
l = L()
l.append(l)
print(l)
class R:
    def __init__(self): self.items = [self]
    def __repr__(self): return "R(%r)" % (self.items,) if depth() < 5 else "..."
count = 0
def depth():
    global count
    count += 1
    return count
print(R())
class Bad:
    def __repr__(self): raise ValueError("bad")
for x in ([Bad()], {1: Bad()}, (Bad(),), deque([Bad()]), [a, Bad()]):
    try:
        print(repr(x))
    except ValueError as e:
        print(e)
print(a, d)
v = {}
v[1] = [v, v]
print(v, [v], sorted(v))
deep = []
for i in range(15):
    deep = [deep, i]
print(deep)
e = [[]]
e[0].append(e[0])
print(e)
class S:
    def __repr__(self): return repr(s)
s = {S()}
print(s)
"""


def test_print(any_device: Device) -> None:
    assert_alike(any_device, NESTED)
