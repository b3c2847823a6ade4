"""Strings compute their hash on demand, are found in tables, and are checked for UTF-8."""

from __future__ import annotations

import random

import pytest

from porter.run import Device, Launch, run
from tests.library.compare import assert_alike

SIZES = Launch(heap=1 << 19, stdout=1 << 16)

# Constants, substrings, strings of a buffer or a subclass; the longest name has 255 bytes.
SAME = """
class S(str): pass
for n in (0, 1, 3, 10, 40, 254, 255, 256, 257, 3000):
    a = 'x' * n
    b = ''.join(['x' for _ in range(n)])
    c = ('y' + b)[1:]
    d = bytes(bytearray(b'x' * n)).decode()
    same = [a == b, b == c, c == d, hash(a) == hash(b) == hash(c) == hash(d)]
    table = {b: 1}
    same += [table.get(t) == 1 for t in (a, b, c, d)]
    table[c] = 2
    same += [len(table) == 1, table[d] == 2, d in {a}, c in {a, 'y'}, hash(S(b)) == hash(b)]
    data = a.encode()
    same += [hash(data) == hash(bytes(bytearray(data))), {data: 3}[c.encode()] == 3]
    same += [b + 'y' not in table, b[1:] not in table or n == 0, hash(b + 'y') != hash(b + 'z')]
    setattr(S, 'attribute', b)
    print(n, all(same), getattr(S, ('z' + 'attribute')[1:]) == b)
"""


def test_equal_texts_are_equal_keys(roomy_device: Device) -> None:
    result = run(roomy_device, [SAME], 2, SIZES)
    assert result.stderr[0] == b""
    lengths = (0, 1, 3, 10, 40, 254, 255, 256, 257, 3000)
    assert result.stdout[1].decode().splitlines() == [f"{n} True True" for n in lengths]


# Names that a program makes are found again, whatever their number and hashes.
NAMES = """
class Many: pass
names = ['n%d' % (i * i) for i in range(700)]
for i, name in enumerate(names):
    setattr(Many, name, i)
print(all(getattr(Many, 'n' + str(i * i)) == i for i in range(700)))
print([hasattr(Many, 'n%d' % i) for i in (2, 3, 699, 489999)], len(set(names)))
"""


def test_names_are_found_among_many(roomy_device: Device) -> None:
    result = run(roomy_device, [NAMES], 2, SIZES)
    assert result.stdout[1] == b"True\n[False, False, False, False] 700\n"


ORDERED = """
from collections import OrderedDict
d = OrderedDict()
missing = 'missing'
for act, key in STEPS:
    key = ''.join(list(key)) if isinstance(key, str) else key
    if act:
        d[key] = d.get(key, 0) + 1
    else:
        print(d.pop(key, missing) == missing, key in d)
print([(type(key).__name__, n) for key, n in d.items()])
"""


@pytest.mark.parametrize("seed", range(3))
def test_ordered_dicts_hold_what_cpython_holds(roomy_device: Device, seed: int) -> None:
    chance = random.Random(seed)
    kinds = [
        lambda n: n, lambda n: n / 4, lambda n: f"k{n}", lambda n: (n, n + 1), lambda n: n << 60,
        lambda n: (n, "x"), lambda n: "é" * n,
    ]  # fmt: skip
    steps = [
        (chance.random() < 0.7, chance.choice(kinds)(chance.randrange(30))) for _ in range(900)
    ]
    lines: list[str] = []
    names = {"STEPS": steps, "print": lambda *a: lines.append(" ".join(map(str, a)))}
    exec(ORDERED, names)
    result = run(
        roomy_device, [f"STEPS = {steps!r}\n{ORDERED}"], 1, Launch(heap=1 << 20, stdout=1 << 16)
    )
    assert result.stderr[0] == b""
    assert result.stdout[0].decode().splitlines() == lines


# Every byte after any number of ASCII bytes, at every position of a word.
CHECKED = """
for n in range(19):
    found = []
    for first in range(128, 256):
        for tail in (b'', b'\\x80', b'\\x80\\x80', b'\\x80\\x80\\x80'):
            try:
                (b'a' * n + bytes([first]) + tail + b'b' * (19 - n)).decode()
                found.append((first, len(tail)))
            except UnicodeError:
                pass
    print(n, len(found), sum([first * (size + 1) for first, size in found]))
text = 'a' * 4096 + 'é' + 'b' * 4096 + '€' * 9 + 'c' * 7
print(text.encode().decode() == text, len(text))
"""


def test_utf8_is_checked_at_every_place(roomy_device: Device) -> None:
    """Upstream accepts a lead byte with the announced number of continuation bytes."""
    leads = [(b, 1) for b in range(0xC0, 0xE0)] + [(b, 2) for b in range(0xE0, 0xF0)]
    leads += [(b, 3) for b in range(0xF0, 0xF8)]
    line = f"{len(leads)} {sum(first * (size + 1) for first, size in leads)}"
    result = run(roomy_device, [CHECKED], 1, SIZES)
    lines = result.stdout[0].decode().splitlines()
    assert lines == [*(f"{n} {line}" for n in range(19)), "True 8209"]


# Texts that equal a name of the program or a constant one, however they are made, and their hashes.
MADE = """
class C:
    name = 1
    longer_name = 2
def f(name=0, longer_name=0):
    return name, longer_name
table = {"name": 1, "longer_name": 2, "x": 3, "é": 4, "": 5, "append": 6, "not a name": 7}
for text in list(table) + ["nam", "longer_nam", "y" * 200]:
    half = len(text) // 2
    made = [text[:half] + text[half:], "".join(list(text)), ("-" + text)[1:], "%s" % text,
        f"{text}", text.encode().decode(), ("a " + text + " b").split(" ", 1)[1][:len(text)],
        text.replace("q", ""), (text + "!").strip("!"), str(bytearray(text.encode()), "utf-8"),
        text.upper().lower()]
    print([other == text and hash(other) == hash(text) for other in made])
    print([table.get(other) for other in made], len(set(made)), len({other: 1 for other in made}))
    print([getattr(C, other, None) for other in made])
    if text in ("name", "longer_name"):
        print([f(**{other: 5}) for other in made])
"""


def test_texts_equal_names_however_they_are_made(roomy_device: Device) -> None:
    assert_alike(roomy_device, MADE)
