"""The programs of benchmarks/compiled.py: a Python source each, and the same work in C.

A source uses WORK (the amount of work), threadIdx and numThreads, and prints one integer. `data` is
bound as the field `bound` says. The C function gets the same arguments and returns that integer.
"""

from __future__ import annotations

from attrs import field, frozen

COLUMNS = "columns"  # data: a float32 matrix; each interpreter has a column of 256 values
MATRICES = "matrices"  # data: three square matrices of doubles per interpreter
ROWS, SIDE = 256, 24


@frozen
class BenchProgram:
    """A program and its C equivalent.

    Attributes:
        name: Name in the report.
        source: Python source.
        host: WORK of one interpreter on the host twin; takes about a quarter of a second.
        gpu: WORK of each of many interpreters on a GPU.
        c: Body of `long long f(long long WORK, long long threadIdx, long long numThreads,
            ELEMENT *data)`.
        numba: Body of the same function for Numba.
        bound: COLUMNS, MATRICES or "": the kind of `data`.
        tuned: Whether programs of this kind were measured while the compiled tier was developed.
    """

    name: str
    source: str = field(repr=False)
    host: int
    gpu: int
    c: str = field(default="", repr=False)
    numba: str = field(default="", repr=False)
    bound: str = ""
    tuned: bool = True

    @property
    def own(self) -> int:
        """Number of elements of `data` that belong to one interpreter alone."""
        return 3 * SIDE * SIDE if self.bound == MATRICES else 0

    @property
    def element(self) -> str:
        """C type of the elements of `data`."""
        return "float" if self.bound == COLUMNS else "double"


FIGURE8 = """\
total = 0.0
for turn in range(WORK):
    for row in range(256):
        total += data[row * numThreads + threadIdx]
print(int(total))
"""
FIGURE8_C = """
double total = 0;
for (long long turn = 0; turn < WORK; turn++) {
    for (long long row = 0; row < 256; row++) {
        total += (double)data[row * numThreads + threadIdx];
    }
}
return (long long)total;
"""
FIGURE8_NUMBA = """\
total = 0.0
for turn in range(WORK):
    for row in range(256):
        total += data[row * numThreads + threadIdx]
return int(total)
"""
INTEGERS = """\
x = threadIdx % 64
total = 0
for i in range(WORK):
    total = (total * 5 + i + x) & 0xFFFF
print(total)
"""
INTEGERS_FUNCTION = """\
def mix(n, x):
    total = 0
    for i in range(n):
        total = (total * 5 + i + x) & 0xFFFF
    return total
print(mix(WORK, threadIdx % 64))
"""
INTEGERS_C = """
long long x = threadIdx % 64, total = 0;
for (long long i = 0; i < WORK; i++) {
    total = (total * 5 + i + x) & 0xFFFF;
}
return total;
"""
INTEGERS_NUMBA = """\
x = threadIdx % 64
total = 0
for i in range(WORK):
    total = (total * 5 + i + x) & 0xFFFF
return total
"""
MANDELBROT = """\
def turns(n, shift):
    found = 0
    for row in range(n):
        for column in range(n):
            cr = column * 2.5 / n - 2.0 + shift
            ci = row * 2.5 / n - 1.25
            zr = zi = 0.0
            turn = 0
            while turn < 100 and zr * zr + zi * zi < 4.0:
                zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
                turn += 1
            found += turn
    return found
print(turns(WORK, threadIdx % 8 * 0.001))
"""
MANDELBROT_C = """
double shift = (double)(threadIdx % 8) * 0.001;
long long found = 0;
for (long long row = 0; row < WORK; row++) {
    for (long long column = 0; column < WORK; column++) {
        double cr = (double)column * 2.5 / (double)WORK - 2.0 + shift;
        double ci = (double)row * 2.5 / (double)WORK - 1.25;
        double zr = 0, zi = 0;
        long long turn = 0;
        while (turn < 100 && zr * zr + zi * zi < 4.0) {
            double next = zr * zr - zi * zi + cr;
            zi = 2.0 * zr * zi + ci;
            zr = next;
            turn++;
        }
        found += turn;
    }
}
return found;
"""
MANDELBROT_NUMBA = """\
shift = threadIdx % 8 * 0.001
found = 0
for row in range(WORK):
    for column in range(WORK):
        cr = column * 2.5 / WORK - 2.0 + shift
        ci = row * 2.5 / WORK - 1.25
        zr = 0.0
        zi = 0.0
        turn = 0
        while turn < 100 and zr * zr + zi * zi < 4.0:
            zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
            turn += 1
        found += turn
return found
"""
QUEENS = """\
def place(n, row, columns, left, right):
    if row == n:
        return 1
    found = 0
    for column in range(n):
        bit, up, down = 1 << column, 1 << (row + column), 1 << (row - column + n)
        if not (columns & bit or left & up or right & down):
            found += place(n, row + 1, columns | bit, left | up, right | down)
    return found
total = 0
for turn in range(WORK):
    total += place(7, 0, 0, 0, 0)
print(total + threadIdx)
"""
QUEENS_C = """
struct queens {
    static FUNCTION long long place(
        long long n, long long row, long long columns, long long left, long long right) {
        if (row == n) {
            return 1;
        }
        long long found = 0;
        for (long long column = 0; column < n; column++) {
            long long bit = 1LL << column, l = 1LL << (row + column), r = 1LL << (row - column + n);
            if (!(columns & bit || left & l || right & r)) {
                found += place(n, row + 1, columns | bit, left | l, right | r);
            }
        }
        return found;
    }
};
long long total = 0;
for (long long turn = 0; turn < WORK; turn++) {
    long long size = 7;
    KEEP(size)
    total += queens::place(size, 0, 0, 0, 0);
}
return total + threadIdx;
"""
CLASSES = """\
class Walker:
    def __init__(self, seed):
        self.seed = seed
        self.x = 0
        self.y = 0
    def step(self):
        self.seed = (self.seed * 1103 + 12345) & 0x7FFF
        if self.seed & 64:
            self.x += 1
        else:
            self.y += self.seed & 3
def walk(walker, n):
    for i in range(n):
        walker.step()
    return walker.x * 100000 + walker.y
print(walk(Walker(threadIdx % 32), WORK))
"""
ATTRIBUTES = """\
class Body:
    def __init__(self, speed):
        self.place = 0.0
        self.speed = speed
def move(body, n):
    for i in range(n):
        body.place += body.speed * 0.01
        if body.place > 10.0:
            body.speed = -body.speed
        elif body.place < -10.0:
            body.speed = -body.speed
    return int(body.place * 1000000)
print(move(Body(1.0 + threadIdx % 4), WORK))
"""
LISTS = """\
def turn(items, n):
    size = len(items)
    for i in range(n):
        at = i % size
        items[at] = items[at - 1] + items[at] & 1023
    return sum(items)
print(turn([i + threadIdx for i in range(50)], WORK))
"""
LISTS_C = """
long long items[50], sum = 0;
for (long long i = 0; i < 50; i++) {
    items[i] = i + threadIdx;
}
for (long long i = 0; i < WORK; i++) {
    long long at = i % 50;
    items[at] = (items[at == 0 ? 49 : at - 1] + items[at]) & 1023;
}
for (long long i = 0; i < 50; i++) {
    sum += items[i];
}
return sum;
"""
DICTS = """\
def count(n, x):
    found = {}
    for i in range(n):
        key = (i * 7 + x) % 61
        found[key] = found.get(key, 0) + i
    return sum(found.values()) % 100003
print(count(WORK, threadIdx))
"""
STRINGS = """\
def scan(text, n):
    vowels = 0
    for turn in range(n):
        for letter in text:
            if letter in "aeiou":
                vowels += 1
        text = text[1:] + text[0]
    return vowels
print(scan("the quick brown fox jumps over the lazy dog" + str(threadIdx), WORK))
"""
SIEVE = """\
def sieve(n):
    flags = bytearray(n)
    found = 0
    for i in range(2, n):
        if not flags[i]:
            found += 1
            for j in range(i * i, n, i):
                flags[j] = 1
    return found
total = 0
for turn in range(WORK):
    total += sieve(2000)
print(total + threadIdx)
"""
SIEVE_C = """
long long total = 0;
for (long long turn = 0; turn < WORK; turn++) {
    unsigned char flags[2000];
    for (long long i = 0; i < 2000; i++) {
        flags[i] = 0;
    }
    for (long long i = 2; i < 2000; i++) {
        if (!flags[i]) {
            total++;
            for (long long j = i * i; j < 2000; j += i) {
                flags[j] = 1;
            }
        }
    }
}
return total + threadIdx;
"""
MATRIX_LISTS = """\
def multiply(a, b, c, n):
    for i in range(n):
        row = a[i]
        out = c[i]
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += row[k] * b[k][j]
            out[j] = total
n = 24
a = [[i * 0.5 + j + threadIdx % 4 for j in range(n)] for i in range(n)]
b = [[i - j * 0.25 for j in range(n)] for i in range(n)]
c = [[0.0] * n for i in range(n)]
for turn in range(WORK):
    multiply(a, b, c, n)
print(int(sum([sum(row) for row in c])))
"""
MATRIX_C = """
enum { n = 24 };
double a[n][n], b[n][n], c[n][n], sum = 0;
for (long long i = 0; i < n; i++) {
    for (long long j = 0; j < n; j++) {
        a[i][j] = (double)i * 0.5 + (double)j + (double)(threadIdx % 4);
        b[i][j] = (double)i - (double)j * 0.25;
    }
}
for (long long turn = 0; turn < WORK; turn++) {
    KEEP(a)
    for (long long i = 0; i < n; i++) {
        for (long long j = 0; j < n; j++) {
            double total = 0;
            for (long long k = 0; k < n; k++) {
                total += a[i][k] * b[k][j];
            }
            c[i][j] = total;
        }
    }
}
for (long long i = 0; i < n; i++) {
    double row = 0;
    for (long long j = 0; j < n; j++) {
        row += c[i][j];
    }
    sum += row;
}
return (long long)sum;
"""
MATRIX_BOUND = """\
def multiply(data, n):
    size = n * n
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += data[i * n + k] * data[size + k * n + j]
            data[2 * size + i * n + j] = total
for turn in range(WORK):
    multiply(data, 24)
total = 0.0
for i in range(24 * 24):
    total += data[2 * 24 * 24 + i]
print(int(total))
"""
MATRIX_BOUND_C = """
enum { n = 24, size = n * n };
double total = 0;
for (long long turn = 0; turn < WORK; turn++) {
    for (long long i = 0; i < n; i++) {
        for (long long j = 0; j < n; j++) {
            double cell = 0;
            for (long long k = 0; k < n; k++) {
                cell += data[i * n + k] * data[size + k * n + j];
            }
            data[2 * size + i * n + j] = cell;
        }
    }
}
for (long long i = 0; i < size; i++) {
    total += data[2 * size + i];
}
return (long long)total;
"""
COLLATZ = """\
def longest(n):
    best = 0
    for start in range(1, n):
        value = start
        steps = 0
        while value != 1:
            if value % 2:
                value = 3 * value + 1
            else:
                value //= 2
            steps += 1
        if steps > best:
            best = steps
    return best
print(longest(WORK) + threadIdx)
"""
COLLATZ_C = """
long long best = 0;
for (long long start = 1; start < WORK; start++) {
    long long value = start, steps = 0;
    while (value != 1) {
        value = value % 2 ? 3 * value + 1 : value / 2;
        steps++;
    }
    best = steps > best ? steps : best;
}
return best + threadIdx;
"""
ORBIT = """\
from math import sqrt
x, y, vx, vy = 1.0, 0.0, 0.0, 1.0 + threadIdx % 4 * 0.01
for step in range(WORK):
    r = sqrt(x * x + y * y)
    pull = -0.001 / (r * r * r)
    vx += pull * x
    vy += pull * y
    x += vx * 0.001
    y += vy * 0.001
print(int(x * 1000000))
"""
BUBBLE = """\
def order(items):
    n = len(items)
    for end in range(n - 1, 0, -1):
        for i in range(end):
            if items[i] > items[i + 1]:
                items[i], items[i + 1] = items[i + 1], items[i]
    return items
total = 0
for turn in range(WORK):
    total += order([(i * 37 + threadIdx) % 101 for i in range(60)])[30]
print(total)
"""
WORDS = """\
text = "one two three two one three three four five one " * 20
counts = {}
for turn in range(WORK):
    for word in text.split():
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
print(counts["three"] * 10 + len(counts) + threadIdx)
"""
CAESAR = """\
def shift(text, by):
    out = []
    for letter in text:
        if "a" <= letter <= "z":
            out.append(chr((ord(letter) - 97 + by) % 26 + 97))
        else:
            out.append(letter)
    return "".join(out)
text = "attack at dawn, or a little later if it rains" * 4
for turn in range(WORK):
    text = shift(text, 3 + threadIdx % 2)
print(sum([ord(letter) for letter in text]))
"""
LINKED = """\
class Node:
    def __init__(self, value, after):
        self.value = value
        self.after = after
def total(node):
    found = 0
    while node is not None:
        found += node.value
        node = node.after
    return found
head = None
for i in range(100):
    head = Node(i + threadIdx, head)
answer = 0
for turn in range(WORK):
    answer += total(head)
print(answer % 1000003)
"""
FIBONACCI = """\
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
print(fib(WORK) + threadIdx)
"""
FIBONACCI_C = """
struct fibonacci {
    static FUNCTION long long of(long long n) {
        return n < 2 ? n : of(n - 1) + of(n - 2);
    }
};
return fibonacci::of(WORK) + threadIdx;
"""
GENERATORS = """\
def numbers(n):
    for i in range(n):
        yield i
def odd(source):
    for i in source:
        if i & 1:
            yield i * 3
print(sum(odd(numbers(WORK))) % 1000003 + threadIdx)
"""
EXCEPTIONS = """\
def careful(n):
    failed = 0
    for i in range(n):
        try:
            if i % 10 == 0:
                raise ValueError(i)
        except ValueError:
            failed += 1
    return failed
print(careful(WORK) + threadIdx)
"""
CLOSURES = """\
def counter(step):
    total = 0
    def add(n):
        nonlocal total
        for i in range(n):
            total += step
        return total
    return add
print(counter(3 + threadIdx)(WORK))
"""
LARGE_INTEGERS = """\
value = 1 + threadIdx
for i in range(WORK):
    value = (value * 6364136223846793005 + 1442695040888963407) % (1 << 90)
print(value % 1000003)
"""
VECTORS = """\
class Vector:
    def __init__(self, x, y, z):
        self.x = x
        self.y = y
        self.z = z
    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)
    def __mul__(self, k):
        return Vector(self.x * k, self.y * k, self.z * k)
    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z
def fall(n):
    place = Vector(0.0, 0.0, threadIdx)
    speed = Vector(1.0, 0.5, 0.25)
    s = 0.0
    for i in range(n):
        place = place + speed * 0.015625
        s += place.dot(speed)
    return int(s * 16) % 1000003
print(fall(WORK))
"""
SHAPES = """\
class Shape:
    def __init__(self, name):
        self.name = name
    def describe(self):
        return self.name, self.area()
class Rectangle(Shape):
    def __init__(self, w, h):
        super().__init__('rectangle')
        self.w, self.h = w, h
    def area(self):
        return self.w * self.h
class Circle(Shape):
    def __init__(self, r):
        super().__init__('circle')
        self.r = r
    def area(self):
        return 3 * self.r * self.r
total = 0
for i in range(WORK):
    shape = Rectangle(i % 100, 2) if i % 2 else Circle(i % 50)
    name, area = shape.describe()
    total += area + len(name)
print(total + threadIdx)
"""
TREE = """\
class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None
def insert(root, key):
    if root is None:
        return Node(key)
    at = root
    while True:
        if key < at.key:
            if at.left is None:
                at.left = Node(key)
                return root
            at = at.left
        elif key > at.key:
            if at.right is None:
                at.right = Node(key)
                return root
            at = at.right
        else:
            return root
def depth(node):
    return 0 if node is None else 1 + max(depth(node.left), depth(node.right))
total = 0
for turn in range(WORK):
    root = None
    x = 12345 + turn + threadIdx
    for i in range(120):
        x = (x * 16807) % 2147483647
        root = insert(root, x % 1000)
    total += depth(root)
print(total)
"""
SMALL_CLOSURES = """\
def counter(step):
    total = 0
    def add(x):
        nonlocal total
        total = (total + x * step) & 65535
        return total
    return add
def compose(f, g):
    return lambda x: f(g(x))
add = counter(3)
both = compose(lambda x: x + 1, lambda x: x * 2)
s = threadIdx
for i in range(WORK):
    s = (s + add(i & 7) + both(i)) & 65535
print(s)
"""
PARSER = """\
class Parser:
    def __init__(self, text):
        self.text = text
        self.at = 0
    def peek(self):
        return self.text[self.at] if self.at < len(self.text) else ''
    def take(self):
        c = self.peek()
        self.at += 1
        return c
    def number(self):
        n = 0
        while self.peek().isdigit():
            n = n * 10 + int(self.take())
        return n
    def factor(self):
        if self.peek() == '(':
            self.take()
            v = self.sum()
            self.take()
            return v
        return self.number()
    def product(self):
        v = self.factor()
        while self.peek() and self.peek() in '*/':
            v = v * self.factor() if self.take() == '*' else v // self.factor()
        return v
    def sum(self):
        v = self.product()
        while self.peek() and self.peek() in '+-':
            v = v + self.product() if self.take() == '+' else v - self.product()
        return v
total = 0
for i in range(WORK):
    total += Parser('(1+2)*3+4*(5-6)+789/3-(2*(3+4)*5)+%d' % (i % 1000)).sum()
print(total + threadIdx)
"""
TAPE = """\
def run(code, limit):
    tape = [0] * 100
    p = at = turns = 0
    jump, stack = {}, []
    for i, c in enumerate(code):
        if c == '[':
            stack.append(i)
        elif c == ']':
            j = stack.pop()
            jump[i], jump[j] = j, i
    while at < len(code) and turns < limit:
        c = code[at]
        if c == '>':
            p += 1
        elif c == '<':
            p -= 1
        elif c == '+':
            tape[p] = (tape[p] + 1) & 255
        elif c == '-':
            tape[p] = (tape[p] - 1) & 255
        elif c == '[':
            if tape[p] == 0:
                at = jump[at]
        elif c == ']':
            if tape[p] != 0:
                at = jump[at]
        at += 1
        turns += 1
    return sum(tape) + turns
total = threadIdx
for i in range(WORK):
    total += run('++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.', 2000)
print(total)
"""
COMPREHENSIONS = """\
words = ['apple', 'pear', 'fig', 'banana', 'kiwi', 'plum']
total = threadIdx
for r in range(WORK):
    lengths = [len(w) for w in words]
    table = {w: len(w) for w in words if 'a' in w}
    rests = {n % 3 for n in lengths}
    pairs = [(i, j) for i in range(6) for j in range(6) if i < j]
    total += sum(lengths) + len(table) + len(rests) + max(x * y for x, y in pairs)
print(total)
"""

PROGRAMS = (
    BenchProgram("figure 8", FIGURE8, 24_000, 64, FIGURE8_C, FIGURE8_NUMBA, COLUMNS),
    BenchProgram("integers, module", INTEGERS, 5_000_000, 40_000, INTEGERS_C, INTEGERS_NUMBA),
    BenchProgram("integers", INTEGERS_FUNCTION, 6_000_000, 40_000, INTEGERS_C, INTEGERS_NUMBA),
    BenchProgram("mandelbrot", MANDELBROT, 250, 24, MANDELBROT_C, MANDELBROT_NUMBA),
    BenchProgram("n queens", QUEENS, 640, 2, QUEENS_C),
    BenchProgram("classes", CLASSES, 1_200_000, 2000),
    BenchProgram("attributes", ATTRIBUTES, 4_000_000, 10_000),
    BenchProgram("lists", LISTS, 5_000_000, 1000, LISTS_C),
    BenchProgram("dicts", DICTS, 3_200_000, 500),
    BenchProgram("strings", STRINGS, 32_000, 5),
    BenchProgram("sieve", SIEVE, 1000, 1, SIEVE_C),
    BenchProgram("matrix of lists", MATRIX_LISTS, 500, 1, MATRIX_C),
    BenchProgram("matrix bound", MATRIX_BOUND, 320, 1, MATRIX_BOUND_C, bound=MATRICES),
    BenchProgram("collatz", COLLATZ, 45_000, 50, COLLATZ_C, tuned=False),
    BenchProgram("orbit", ORBIT, 1_200_000, 500, tuned=False),
    BenchProgram("bubble sort", BUBBLE, 1700, 1, tuned=False),
    BenchProgram("words", WORDS, 5000, 1, tuned=False),
    BenchProgram("caesar", CAESAR, 4000, 2, tuned=False),
    BenchProgram("linked list", LINKED, 60_000, 10, tuned=False),
    BenchProgram("fibonacci", FIBONACCI, 30, 16, FIBONACCI_C, tuned=False),
    BenchProgram("generators", GENERATORS, 2_000_000, 500, tuned=False),
    BenchProgram("exceptions", EXCEPTIONS, 2_800_000, 500, tuned=False),
    BenchProgram("closures", CLOSURES, 6_000_000, 1500, tuned=False),
    BenchProgram("large integers", LARGE_INTEGERS, 600_000, 200, tuned=False),
    BenchProgram("vectors", VECTORS, 250_000, 60, tuned=False),
    BenchProgram("shapes", SHAPES, 350_000, 80, tuned=False),
    BenchProgram("search tree", TREE, 1500, 1, tuned=False),
    BenchProgram("small closures", SMALL_CLOSURES, 800_000, 200, tuned=False),
    BenchProgram("parser", PARSER, 5000, 1, tuned=False),
    BenchProgram("tape machine", TAPE, 1200, 1, tuned=False),
    BenchProgram("comprehensions", COMPREHENSIONS, 35_000, 8, tuned=False),
)
