"""Programs in which functions call functions, with many events between call and return."""

CALLING = {
    "recursion": """
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
def even(n):
    return True if n == 0 else odd(n - 1)
def odd(n):
    return False if n == 0 else even(n - 1)
def power(x, n=3):
    return 1 if n <= 0 else x * power(x, n - 1)
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))
print(fib(13), even(20), odd(33), power(3), power(2.5, 4), power(10, 30), ackermann(2, 3))
""",
    "arguments": """
def sums(a, *rest, k=3, **more):
    return a + len(rest) * 10 + k * 100 + sum(more.values()) * 1000
def two(x, y=5):
    return x * 10 + y
def named(*, x):
    return x + 1
def shared(n):
    def inner(m):
        nonlocal n
        n += m
        return m + n
    return inner(n * 2) + inner(n + 1)
def every(n):
    s = 0
    for i in range(n):
        s += sums(i) + sums(i, 1, 2) + sums(i, k=i) + sums(i, z=4, y=i) + shared(i) + two(i)
        s += two(i, 2) + two(y=i, x=2) + two(*[i, 3]) + named(x=i) + (lambda q: q * 2)(i)
    return s
print(every(9))
def wrong(n):
    for call in (lambda: two(n, n, n), lambda: two(z=1), lambda: sums(), lambda: named(3),
                 lambda: two(1, x=2), lambda: two(), lambda: named()):
        try:
            print(call())
        except TypeError as e:
            print(e)
    try:
        return two(n, n, n) + 1
    except TypeError as e:
        print(e)
    return two() + 1
print(every(3), wrong(2))
""",
    "gives up": """
def grows(x):
    y = x * 3
    if y > 1 << 44:
        print('large')
    return y * y - x
def outer(x):
    found = [x]
    for i in range(4):
        found.append(grows(x) + i)
        x = x * 1000 if i < 2 else [1.5, 'a', None][i - 2] if x > 5 else 2
    return found
for x in (1, 1 << 40, 2.5, 1 << 46, True):
    try:
        print(outer(x))
    except TypeError as e:
        print(e)
""",
    "exceptions": """
import sys
def third(n):
    if n == 2:
        return [1][n] + n * n
    if n == 3:
        raise ValueError('three')
    return n * 2 + 1
def second(n):
    return (third(n) + 1 -
        third(n - 1) * 2)
def first(n):
    return second(n) * 2 + \\
        third(0)
def caught(n):
    s = 0
    for i in range(n):
        try:
            s += first(i) * 2
        except IndexError as e:
            sys.print_exception(e, sys.stderr)
            s -= 1
        finally:
            s += 100
            print('finally', i, s)
    return s
def inside(n):
    try:
        return first(n) * 3
    finally:
        print('inside', n)
def ends(n):
    for i in range(n):
        try:
            if third(i) > 1:
                return i * 2 + third(0)
        finally:
            if i == 2:
                break
    return -1
print(ends(1), ends(4))
for n in range(5):
    try:
        print(inside(n))
    except Exception as e:
        sys.print_exception(e, sys.stderr)
print(caught(3), ends(4))
print(caught(4))
""",
    "globals": """
count = 0
total = 1
def add(n):
    global count, total
    count += 1
    total = total * 2 + n
    return total % 7
def loop(n):
    global count
    s = 0
    for i in range(n):
        count += i
        s += add(i) + count
    return s + total
def late(n):
    return missing + n * 2
print(loop(20), count, total)
i = 0
while i < 30:
    total += add(i) - i
    i += 1
    if i == 20:
        missing = 4
    try:
        total += late(i)
    except NameError:
        total -= 1
print(i, count, total)
other = {'add': add, 'count': 5, 'total': 7}
exec('''
def through(n):
    global count
    count += add(n) * 2
    return count + add(n)
found = [through(k) for k in range(4)] + [count, total]
''', other)
print(other['found'], count, total)
def both(n):
    return other['through'](n) + add(n) * 2
print([both(k) for k in range(3)], count, total, other['count'])
""",
    "rebinds": """
def f(n):
    global f
    if n == 3:
        def f(n):
            return n * 100 + 1
    return n + 1
def g(n):
    s = 0
    for i in range(n):
        s += f(i) * 2
    return s
print(g(6), g(6))
def f(n):
    return n - 1
print(g(6))
f = len
try:
    print(g(2))
except TypeError as e:
    print(e)
def f(n):
    return -n * 2
for k in range(4):
    print(g(k))
    def f(n, k=k):
        return n * k - 1
""",
    "others": """
import gc
def numbers(n):
    for i in range(n):
        yield square(i) - 1
def square(n):
    return n * n
def counter(step):
    total = 0
    def add(n):
        nonlocal total
        total += step * square(n)
        return total
    return add
class Point:
    def __init__(self, x, y=2):
        self.x, self.y = square(x), y
    def scaled(self, by):
        return Point(self.x * by, self.y) if by > 1 else self
    def length(self):
        return self.x + self.y * 2
    def __add__(self, other):
        return self.length() + other.length()
    def __call__(self, n):
        return self.length() * n
    def deeper(self, n):
        return self.length() if n <= 0 else self.deeper(n - 1) + 1
    @staticmethod
    def still(n):
        return square(n) + 1
    @classmethod
    def made(cls, n):
        return cls(n).length() * 2
class Other(Point):
    def length(self):
        return super().length() * 3
def use(n):
    s = 0
    for i in range(n):
        p = Point(i) if i % 2 else Other(i, y=i)
        bound = p.length
        s += p.scaled(i).length() + (p + p) + p(i) + p.deeper(i) + bound()
        s += Point.still(i) + p.still(i) + Other.made(i) + Point.length(p)
        for x in numbers(i):
            s += x
        gc.collect()
    add = counter(3)
    return s + add(n) + add(n + 1) + max(map(square, range(n))) + sorted([3, 1], key=square)[0]
print(use(9))
""",
    "deep": """
def down(n):
    return down(n + 1) * 2 - 1
def most(n):
    global deepest
    deepest = n
    return most(n + 1) + 1
def unwinds(n):
    try:
        return unwinds(n + 1) + 1
    except RuntimeError:
        return n - n
def sums(n):
    return 0 if n == 0 else n + sums(n - 1)
deepest = 0
for call in (down, most, unwinds):
    for again in range(2):
        try:
            print(call(0) > 0)
        except RuntimeError as e:
            print('too deep', e)
print(deepest > 20, sums(40))
down(0)
""",
    "contexts": """
class Context:
    def __init__(self, hides):
        self.hides = hides
    def __enter__(self):
        return half(self.hides + 4)
    def __exit__(self, kind, error, where):
        print('exit', kind is not None, half(8))
        return self.hides > 1
def half(n):
    if n % 2:
        raise ValueError(n)
    return n // 2
def within(n, hides):
    with Context(hides) as value:
        value += half(n) * 2
        return value
    return 'hidden'
def each(n):
    for i in range(n):
        for hides in (0, 2):
            try:
                print(within(i, hides))
            except ValueError as e:
                print('error', e, half(i - 1))
            else:
                print('none')
each(4)
""",
    "objects": """
class Plain:
    pass
class Pair:
    def __init__(self, x, y=2, *more, k=0, **named):
        self.x, self.y = half(x), y + len(more) * 10 + k * 100 + sum(named.values())
class Under(Pair):
    pass
class Lowest(Under):
    def __init__(self, x):
        super().__init__(x, y=x * 2, k=1, z=5)
        self.more = Under(x * 7)
class Made:
    def __new__(cls, n):
        it = super().__new__(cls)
        it.n = n
        return it if n < 2 else n
    def __init__(self, n):
        self.n += n
class Lost:
    def __init__(self, n):
        self.n = n
        self = None
class Wrong:
    def __init__(self, n):
        self.n = n
        return n
class Error(Exception):
    def __init__(self, n):
        self.n = n
class Numbers(list):
    def __init__(self, n):
        super().__init__(range(n))
class Both(Plain, Pair):
    pass
class Tree:
    def __init__(self, n):
        self.left = Tree(n - 1) if n > 0 else None
        self.right = Tree(n - 2) if n > 1 else None
    def count(self):
        s = 1
        for side in (self.left, self.right):
            if side is not None:
                s += side.count()
        return s
def half(n):
    if n % 7 == 5:
        raise ValueError(n)
    return n // 2 if n < 100 else n << 45
def makes(n):
    s = 0
    for i in range(n):
        try:
            p = Pair(i, i + 1) if i % 3 else Pair(i, 1, 2, 3, k=i, z=4)
            s += p.x + p.y + Under(i, y=i).y + Lowest(i).more.x + Both(i).x + len(Numbers(i % 4))
            s += Tree(i % 5).count() + Lost(i).n + (Made(i) if i > 1 else Made(i).n)
            Plain().x = i
            s += Pair(i, *[i, i]).y + Pair(i, **{'k': i}).y + Pair(x=i).x + Pair(i + 200).x % 997
            s += Pair(i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18).y
        except ValueError as e:
            s += e.args[0] * 1000
        try:
            raise Error(i)
        except Error as e:
            s += e.n
    return s
print(makes(20))
for wrong in (lambda: Pair(), lambda: Pair(1, y=2, x=3), lambda: Lost(), lambda: Lost(1, 2),
              lambda: Wrong(3), lambda: Plain(1), lambda: Lowest(1, 2)):
    try:
        print(type(wrong()).__name__)
    except TypeError as e:
        print(e)
print(makes(3))
Pair(5)
""",
    "operators": """
class Number:
    def __init__(self, n):
        self.n = n
    def __add__(self, o):
        if isinstance(o, str):
            return NotImplemented
        return Number(self.n + (o.n if isinstance(o, Number) else o))
    def __radd__(self, o):
        return Number(plain(o) - self.n)
    def __sub__(self, o):
        for i in range(3):
            o = plain(o)
        return self.n - o
    def __mul__(self, o):
        return self if o == 0 else self * (o - 1) + self
    def __iadd__(self, o):
        self.n += plain(o)
        return self
    def __imul__(self, o):
        return NotImplemented
    def __floordiv__(self, o):
        return NotImplemented
    def __getitem__(self, i):
        return self.n + i
    def __len__(self):
        return 3
    def __eq__(self, o):
        return self.n == plain(o)
    def __lt__(self, o):
        return self.n < plain(o)
    def __contains__(self, i):
        return i == self.n
    def __neg__(self):
        return Number(-self.n)
    def __hash__(self):
        return self.n
class Also(Number):
    def __matmul__(self, o):
        yield self.n
    def __pow__(self, o):
        return (lambda k: k + self.n)(o)
    def __rfloordiv__(self, o):
        return 77
def plain(o):
    return o.n if isinstance(o, Number) else o
def works(n):
    s = 0
    for i in range(n):
        a, b = Number(i), Also(i + 1)
        a += b
        a += i
        s += (a + b).n + (b + 3).n + (4 + b).n + (a - b) + (b - i) + (b * 3).n + b ** i + (-a).n
        s += b[i] + len(a) + (a < b) + (a == i) + (i in a) + sum(b @ 1)
        if i == 5:
            b.n = 1 << 46
            s += (b + b).n % 1009 + (b - 1) % 1013
        c = a
        c -= 2
        s += c + sorted([b, a])[0].n
    return s
print(works(9))
""",
    "closures": """
def counter(step):
    total = 0
    def add(n=1, *rest, k=0):
        nonlocal total
        total += step * n + k + len(rest)
        return total
    def twice(n):
        return add(n) + add(n)
    return add, twice
def many(a, b, c, d, e, f, g, h):
    def all_of(p, q, r, s, t, u, v, w, x):
        return a + b + c + d + e + f + g + h + p + q + r + s + t + u + v + w + x
    return all_of
def down(n):
    def inner(m):
        return 0 if m <= 0 else inner(m - 1) + n
    return inner(n)
def decorated(f):
    def call(*a, **k):
        return f(*a, **k) * 2
    return call
@decorated
def square(n):
    return n * n
def gen(n):
    def give(m):
        yield m + n
        yield from range(m)
    return give
def works(n):
    add, twice = counter(n % 4 + 1)
    s = 0
    for i in range(n):
        s += add() + add(i) + twice(i) + add(i, 1, 2, k=3) + add(n=i) + add(k=1)
        s += many(1, 2, 3, 4, 5, 6, 7, i)(1, 2, 3, 4, 5, 6, 7, 8, i) + down(i) + square(i)
        s += sum(gen(i)(3)) + sum([(lambda x, y=i: x * y + i)(k) for k in range(3)])
        s += len('abcdefgh'[i % 5:]) + len([1, 2, 3, 4][:i])
    return s
print(works(12))
""",
    "slices": """
class S:
    def __getitem__(self, i):
        self.kept = i
        return i.start if isinstance(i, slice) else i
    def __setitem__(self, i, v):
        self.stored = (i, v)
    def __delitem__(self, i):
        self.gone = i
def f(n):
    s = S()
    t = 0
    a = [1, 2, 3, 4, 5]
    for i in range(n):
        s[i:5] = i
        del s[i:2]
        t += s[i:7] + len('abcdef'[i:]) + sum(a[:i]) + len((1, 2, 3)[i:i + 1]) + len(b'abc'[i:])
        a[1:2] = [7, i]
        del a[3:4]
        try:
            'abc'['x':]
        except TypeError as e:
            t += len(str(e))
    print(s.stored, s.gone, s.kept, a, t)
    print(bytearray(b'12345')[1:-1], 'abc'[None:], list(range(9))[-3:], s[1:2], 'abc'[-1:n])
f(5)
""",
}

# Programs whose steps differ in native code: they end at the C stack's limit, use the other
# operand's method, or raise through calls that the interpreter makes in C.
OWN_STEPS = {
    "raises": """
class Number:
    def __init__(self, n):
        self.n = positive(n)
    def __sub__(self, o):
        return self.n - positive(o)
    def __len__(self):
        return positive(self.n - 3)
def positive(n):
    if n < 0:
        raise ValueError(n)
    return n
def down(n):
    def inner(m):
        return positive(m) if m <= 0 else inner(m - 1) + n
    return inner
def each(n):
    for i in range(n):
        for op in (lambda: Number(2 - i), lambda: Number(i) - (3 - i), lambda: Number(i) % 2,
                   lambda: down(i)(2.5), lambda: 2 - Number(i), lambda: Number(i) - [i],
                   lambda: len(Number(i)), lambda: down([i])(i), lambda: down(i)(1, z=i),
                   lambda: down(i)(), lambda: Number()):
            try:
                print(i, op() is None)
            except ValueError as e:
                print('value', e)
            except TypeError as e:
                print('type', e)
            finally:
                n += 1
each(6)
down(3)(0.5)
""",
    "too deep": """
class Endless:
    def __init__(self):
        self.next = Endless()
    def __sub__(self, o):
        return self - o
def closure(n):
    def inner(m):
        return inner(m + 1) + n
    return inner(0)
class Plain(Endless):
    def __init__(self):
        pass
def deep(again):
    for _ in range(again):
        for ends in (Endless, lambda: Plain() - 1, lambda: closure(3)):
            try:
                ends()
            except RuntimeError as e:
                print('too deep')
deep(3)
""",
    "not implemented": """
class Number:
    def __init__(self, n):
        self.n = n
    def __add__(self, o):
        return NotImplemented if isinstance(o, str) else Other(self.n + o)
    def __imul__(self, o):
        return NotImplemented
    def __mul__(self, o):
        return Number(self.n * o)
    def __floordiv__(self, o):
        return NotImplemented
    def __ipow__(self, o):
        return NotImplemented
class Other(Number):
    def __rfloordiv__(self, o):
        return o.n - self.n
    def __rpow__(self, o):
        return NotImplemented
def works(n):
    s = 0
    for i in range(n):
        a, b = Number(i), Other(i + 2)
        s += (a // b) + (a + i).n
        a *= 3
        s += a.n
        for op in (lambda: a + 'x', lambda: a // 2, lambda: a ** b, lambda: b // a):
            try:
                s += op()
            except TypeError as e:
                print(e) if i == 0 else None
        try:
            a **= b
        except TypeError as e:
            print(e) if i == 0 else None
    return s
print(works(9))
""",
}
