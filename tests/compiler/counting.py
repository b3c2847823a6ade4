"""Counting loops, which the compiled tier strip-mines.

Some end or deoptimize in the middle, some change their bound or their counter.
"""

COUNTING = {
    "lengths": """
def up(n):
    t = 0
    for i in range(n):
        t = (t * 5 + i) & 0xffff
    return t
def down(n):
    t = 0
    for i in range(n, 0, -1):
        t = (t * 3 + i) & 0xffff
    return t
for n in (-1, 0, 1, 2, 3, 100, 254, 255, 256, 257, 258, 511, 513, 700):
    print(n, up(n), down(n))
""",
    "steps of more": """
def by(n):
    t = 0
    for i in range(0, n, 7):
        t += i
    for i in range(n, -5, -3):
        t ^= i
    i = 0
    while i < n:
        t += i & 3
        i += 5
    while i >= n // 2:
        t -= i
        i -= 2
    while i <= n:
        t ^= i
        i += 1
    return t, i
for n in (0, 1, 6, 7, 8, 300, 1000):
    print(by(n))
""",
    "branches": """
def ways(n):
    a = b = c = 0
    for i in range(n):
        if i & 1:
            a += i
        elif i % 3 == 0:
            b ^= i
            continue
        else:
            c += 2
        if a > 90000:
            break
        c = c + 1 if i & 4 else c - 1
    return a, b, c, i
print(ways(10), ways(255), ways(300), ways(2000))
""",
    "growing": """
def product(n):
    p = 1
    for i in range(n):
        p = p * 3 + i
    return p
def items(them):
    t = 0
    for i in range(len(them)):
        t += them[i]
    return t
print(product(20), product(200))
print(items([1] * 300), items([1] * 300 + [0.5] + [2] * 20), items([1 << 60, 2]))
try:
    items([1] * 280 + ['no number'])
except TypeError:
    print('no number')
def beyond(them, n):
    t = i = 0
    try:
        while i < n:
            t += them[i]
            i += 1
    except IndexError:
        pass
    return t, i
print(beyond([1, 2] * 150, 900), beyond(bytearray(range(256)), 300))
""",
    "moving": """
def bound(n):
    i = 0
    while i < n:
        n -= 1
        i += 1
    return i, n
def counter(n):
    t = i = 0
    while i < n:
        if t & 8:
            i += 1
        t += i
        i += 2
    for i in range(n):
        i = i * 2
        t += i
    return t, i
def twice(n):
    i = 0
    while i < n:
        i += 1
        i += 1
    return i
print(bound(1001), counter(700), twice(601))
""",
    "nested loops": """
def table(n):
    t = 0
    for i in range(n):
        for j in range(i):
            t += i * j & 7
        for j in range(i, n):
            t ^= j
    return t
print(table(3), table(40))
""",
    "module level": """
t = 0
for i in range(600):
    t = (t * 7 + i) & 0xfffff
print(t)
x = 0.5
i = 0
while i < 300:
    x = x * 1.5 - 0.25 * x * x
    i += 1
print(i, x)
buffer = bytearray(300)
for i in range(300):
    buffer[i] = i * 3 & 255
print(sum(buffer))
""",
    "counting handlers": """
def f(n):
    t = 0
    for i in range(n):
        try:
            t += 100 // (i % 50 - 7)
        except ZeroDivisionError:
            t += 1
    return t
print(f(3), f(400))
def g(n):
    t = 0
    try:
        for i in range(n):
            t += 1000 // (300 - i)
    except ZeroDivisionError:
        return t, i
    return t
print(g(299), g(500))
""",
    "kinds of arrays": """
import array
def sums(them):
    t = 0
    for i in range(len(them)):
        t += them[i]
    return t
def scaled(them, by, n):
    for i in range(n):
        them[i] = them[i] * by
    return sums(them)
def mixed(a, b, n):
    t = 0
    for i in range(n):
        t += a[i] * b[n - 1 - i]
    return t
def behind(them, n):
    t = 0
    for i in range(n):
        t += them[-1 - i]
    return t
numbers = [i * 3 % 100 for i in range(300)]
kinds = [array.array(code, numbers) for code in 'fdBibHhIlqQ'] + [bytearray(numbers), numbers]
kinds += [bytes(numbers), tuple(numbers), [n + 0.5 for n in numbers]]
kinds.append(memoryview(bytearray(numbers)))
for them in kinds:
    print(sums(them), behind(them, 290))
for them in kinds[:13]:
    for by in (2, 0.5):
        try:
            print(scaled(them, by, 290))
        except (TypeError, OverflowError, ValueError) as e:
            print(type(e).__name__, them[0], them[1], them[2])
for a in kinds[:8]:
    print([mixed(a, b, 300) for b in kinds[:15]])
for them in kinds:
    try:
        print(mixed(them, them, 301))
    except IndexError:
        print('index')
""",
}
