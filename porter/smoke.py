"""Smoke test: run a few programs on many interpreters and compare the output with CPython's.

Each program tests one part of Python and prints the same as in CPython.
"""

from __future__ import annotations

import contextlib
import io
from typing import Any

from attrs import asdict, frozen

from porter.base.untrusted import printable_text
from porter.run import Device, Launch, Program, run

PROGRAMS: dict[str, str] = {
    "hello": "print('Hello World!')\n",
    "word-count": """
text = 'the snake saw the other snake and the snake ran'
count = {}
for word in text.split():
    count[word] = count.get(word, 0) + 1
print(sorted(count.items()))
""",
    "sorting": """
x, numbers = 1, []
for _ in range(60):
    x = x * 1103515245 + 12345 & 0x7fffffff
    numbers.append(x % 1000)
print(sorted(numbers), sorted(numbers, reverse=True)[:3])
""",
    "factorial": """
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)
print(factorial(30), len(str(2 ** 500)))
""",
    "formatting": "print('{:>8}|{:<6}|{:08.3f}|%s|%5d' .format('a', 'b', 3.14159) % ('x', 42))\n",
    "json": """
import json
data = {'a': [1, 2.5, None, True], 'b': {'c': 'd'}}
print(json.loads(json.dumps(data)) == data)
""",
    "classes": """
class Shape:
    def area(self):
        return 0
    def __repr__(self):
        return '%s(%d)' % (type(self).__name__, self.area())
class Square(Shape):
    def __init__(self, side):
        self.side = side
    def area(self):
        return self.side * self.side
class Cube(Square):
    def area(self):
        return 6 * super().area()
print([Shape(), Square(3), Cube(2)])
""",
    "generators": """
def primes():
    found = []
    n = 2
    while True:
        if all(n % p for p in found):
            found.append(n)
            yield n
        n += 1
g = primes()
print([next(g) for _ in range(15)])
""",
    "exceptions": """
def risky(n):
    try:
        return 10 // n
    except ZeroDivisionError as error:
        return str(type(error).__name__)
    finally:
        print('done', n)
print([risky(n) for n in (2, 0, 5)])
""",
}


@frozen
class Check:
    """The result of one program: whether all interpreters printed what CPython prints."""

    program: str
    passed: bool
    groups: int
    output: str
    expected: str
    stderr: str
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return asdict(self)


def expected_output(source: str) -> str:
    """Return this CPython's output for a program of PROGRAMS."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "<smoke>", "exec"), {"__name__": "__main__"})
    return printed.getvalue()


def smoke(device: Device, n: int, launch: Launch | None = None) -> list[Check]:
    """Run every program of PROGRAMS on `n` interpreters of `device`, with options `launch`."""
    return [_check(device, name, source, n, launch) for name, source in PROGRAMS.items()]


def _check(device: Device, name: str, source: str, n: int, launch: Launch | None) -> Check:
    result = run(device, [Program(source.encode(), name)], n, launch)
    expected = expected_output(source)
    groups = result.stdout.groups
    output = printable_text(groups[0].text)
    passed = len(groups) == 1 and output == expected and not bool(result.status.any())
    stderr = printable_text(result.stderr.groups[0].text)
    return Check(name, passed, len(groups), output, expected, stderr, result.seconds)
