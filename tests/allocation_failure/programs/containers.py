from collections import OrderedDict, deque, namedtuple

Point = namedtuple("Point", "x y")
d = OrderedDict()
for i in range(20):
    d[str(i)] = Point(i, -i)
for i in range(0, 20, 3):
    del d[str(i)]
q = deque((), 4)
for p in d.values():
    q.append(p)
print(list(q), {k: v.x for k, v in d.items() if v.x > 15}, frozenset((1, 2)) | {3})
print(bytearray(b"ab") + bytes(3), list(range(5))[::-2], sorted("hello", reverse=True))
