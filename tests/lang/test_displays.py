"""Displays with stars, and f-strings."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import assert_alike, calls

DISPLAYS = [
    "[*a, *b]",
    "[*a]",
    "[1, *a, 2, *b, 3]",
    "[*'abc', *range(3), *{5: 1}]",
    "(*a, *b)",
    "(*a,)",
    "(1, *a)",
    "{*a, *b}",
    "{*a}",
    "{1, *a, 9}",
    "{**d}",
    "{**d, 'z': 1}",
    "{'y': 0, **d, **e, 'x': 9}",
    "{**d, **d}",
    "[*a, [*b, *[7]]]",
    "[*5]",
    "{**5}",
    "{*5}",
    "max(*a, *b)",
    "[x for x in [*a, *b]]",
    "{k: v for k, v in {**d, **e}.items()}",
    "f(*[*a], **{**e})",
    "[(i, *b) for i in a]",
    "dict(**d, **e)",
]
TEXTS = [
    "f'{a}{b!r:>12}{d[\"x\"]}'",
    "f'{x = }'",
    "f'{x=}'",
    "f'{x=!r}'",
    "f'{x=:>5}'",
    "f'{x = :>5}'",
    "f'{s = }|{s=!s}|{s=}'",
    "f'{x == 3}{x != 4}{x <= 5}{x >= 5}'",
    "f'{x+1=} {a[0]=}'",
    "f'{\":\".join(s)}'",
    'f\'{s.replace("b", "}")}\'',
    "f'{(lambda v: v * 2)(3)}'",
    "f'{dict(k=1)}'",
    "f'{({1: 2})[1]}'",
    "f'{max(a, key=lambda v: -v)}'",
    "f'{{}}{{{x}}}'",
    "f'{x:{\"0>\"}{4}}'",
    "f'{x:0{5}d}'",
    "f'{3.14159:.2f} {1000000:,} {255:#x}'",
    "'x' f'{x}' 'y'",
]


def test_displays(any_device: Device) -> None:
    prelude = (
        "a = [1, 2]\nb = (3, 4)\nd = {'x': 1, 'w': 2}\ne = {'v': 3}\n"
        "def f(*args, **kwargs): return args, kwargs\nx = *a, 5\ny = 0, *b\nprint(x, y)"
    )
    assert_alike(any_device, calls(prelude, DISPLAYS))


def test_texts(any_device: Device) -> None:
    prelude = "x = 3\na = [1, 2]\nb = 'q'\ns = 'abc'\nd = {'x': 1}"
    assert_alike(any_device, calls(prelude, TEXTS))
