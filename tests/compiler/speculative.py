"""Programs whose speculations fail in the middle.

Numbers grow, types change, and other code stores or deletes names.
"""

PROGRAMS = {
    "bounds": """
m = (1 << 46) - 1
for d in range(-3, 4):
    x = m + d
    y = -m - 1 + d
    print(x * 3, y * 5, x + y, x - y, -y, ~x, x >> 3, y // 7, x % 7, y & 65535, y ^ 255)
""",
    "wide": """
def f():
    s = 0
    for i in range(20):
        a = (1 << i * 3) + 7
        b = (1 << (60 - i * 3)) - 3
        s ^= a * b & 0xffffffffffff
        s = (s + a * b) % 1000003
        s += (a * b + a * b) % 97 + ((a * b - b) >> 20 & 255)
    return s
print(f())
""",
    "shifts": """
def f(k):
    t = 0
    for i in range(4):
        try:
            t += (5 << (k - i)) + (500 >> (k - i))
        except ValueError as e:
            print(e, i)
    return t, [(-5) << i for i in range(70)], [(1 << 45) >> i for i in range(70)]
print(f(2))
""",
    "division": """
def f():
    r = []
    for a in (7, -7, 0, 70368744177663, -70368744177664, 2.5, -0.0):
        for b in (3, -3, 1, -1, 8, -8, -70368744177664, 0, 0.0, -1.5):
            try:
                r.append((a // b, a % b, a / b))
            except ZeroDivisionError as e:
                r.append((a, b, str(e)))
    return r
print(f())
""",
    "floats": """
inf = float("inf")
for a in (0.0, -0.0, 1.5, inf, inf - inf):
    for b in (0.0, -0.0, 2.5, -inf, inf - inf, 3, True):
        print(a + b, a - b, a * b, a < b, a <= b, a == b, a != b, a > b, a >= b)
""",
    "bools": """
def f():
    t = 0
    for i in range(10):
        t += (i > 5) + True * (i == 3) - (not i)
        t ^= -(i > 3) + ~(i > 3) + (True & (i > 1))
    return t, True + True, True == 1, 0 == False
print(f())
""",
    "unbound": """
def f(k):
    x = 1
    for i in range(5):
        try:
            print(x, z)
        except NameError as e:
            print(i, e)
        if i == k:
            z = i
        if i == 2:
            del x
        if i == 3:
            x = 2.5
f(1)
""",
    "names": """
g = h = 0
for i in range(6):
    g += i
    globals()["h"] = h * 2
    h += 1
    if i == 2:
        del g
        try:
            g += 1
        except NameError as e:
            print(e)
        g = 100.5
    if i == 3:
        exec("h = 'text' * 3")
        print(h)
        h = 7
for new in range(3):
    other = new
print(g, h, i, new, other)
""",
    "sneaky": """
class Sneaky:
    def __add__(self, other):
        global total
        total = total + 1000 if total < 3000 else "text"
        return self
    def __bool__(self):
        global total
        total += 7
        return True
    def __getitem__(self, i):
        global total
        total += 0.5
        return i
total = n = 0
s = Sneaky()
try:
    while n < 10:
        total += 1
        n += s[1]
        s = s + 1
        if s:
            total += 1
except TypeError as e:
    print(n, total, e)
""",
    "elements": """
from array import array
def f(a, v):
    r = []
    for i in range(-6, 6):
        try:
            r.append(a[i])
            a[i] = v + i
        except (IndexError, TypeError, OverflowError, ValueError) as e:
            r.append(str(e))
    return r, a
for t in "bBhHiIqd":
    print(f(array(t, [1, 2, 3, 4]), 1), f(memoryview(array(t, [4] * 3))[1:], 250)[0])
print(f([1, 2.5, "x", None, 1 << 70], 1.5), f((1, 2), 1), f(bytearray(3), 250))
print(f(array("f", [1.5] * 4), 2.5), f(b"abc", 1), f({0: 1}, 2))
""",
    "growing": """
def f():
    a = [1]
    b = a
    for i in range(10):
        a[i] = a[i] + 1
        b.append(a[i] * 2)
        if i == 5:
            a = [0] * 20
    return a, b
print(f())
""",
    "ranges": """
m = 70368744177663
t = 0
for a in range(10, 0, -3):
    for b in range(a, 20, 4):
        t += a * b
for a in range(m - 3, m + 9, 5):
    t += a
    print(a)
def last(*rest):
    for x in range(*rest):
        pass
    return x
print(t, last(5), last(7, 1, -2), last(m, m + 2, 1))
""",
    "generators": """
def gen(n):
    t = 0
    for i in range(n):
        x = yield t
        t += i if x is None else x
it = gen(9)
print(next(it), it.send(5), it.send(2.5), list(it))
def outer():
    c = 0
    def inner():
        nonlocal c
        c += 1.5 if c == 4 else 1
    for i in range(10):
        inner()
        c += 1
    return c
print(outer())
""",
    "handlers": """
def f():
    out = []
    for i in range(6):
        try:
            v = i * 2
            try:
                if i == 2:
                    raise ValueError(i)
                if i == 4:
                    [][i]
                v += 1.0
            finally:
                out.append(v)
        except (ValueError, IndexError) as e:
            out.append((v, e.args))
    return out
print(f())
def deep(n):
    return deep(n + 1) + 1
try:
    deep(0)
except RuntimeError as e:
    print(e)
""",
    "iterators": """
def values(n):
    global total
    for i in range(n):
        total += 0.5 if i < 3 else 1
        yield i
total = 0
items = [0] * 9
for x in values(6):
    total += x
    items[x] = total
for x in map(str, (1, 2)):
    total += int(x)
print(total, items)
def f(a):
    b = a
    def grow(n):
        for i in range(n):
            b.append(i)
            yield i
    t = 0
    for i in grow(5):
        a[i + 1] += 1
        t += a[-1] + a[i]
    return t, a
print(f([7]))
""",
    "finally": """
def f(c):
    x = 0
    for i in range(6):
        try:
            if i % 2:
                continue
            if i == c:
                break
        finally:
            x += 5
            if i == 3:
                x = 2.5
        x += 1
    return x
print(f(9), f(4))
""",
    "truth": """
class T:
    n = 0
    def __bool__(self):
        T.n += 1
        return T.n % 3 > 0
t = T()
k = 0
while k < 40 or (t and k < 90):
    k += 1 if not t else 2
    if t and k:
        k += 1
print(k, T.n, [bool(x) for x in ("", "a", [], [0], (), {}, {1: 2}, 0.0, -0.0, None, b"", set())])
""",
    "modules": """
import math
s = 0
for i in range(20):
    s += math.pi * i + math.sqrt(i)
    if i == 9:
        math = [2]
        import math
print(s)
""",
}
