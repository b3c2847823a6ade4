"""Prefixes of strings, strings beside f-strings, and code that is never executed, as in CPython."""

from __future__ import annotations

import itertools

import pytest

from porter.run import Device, run
from tests.library.compare import assert_alike

PARTS = r"""
a, b = 1, 'x'
print('{"a": ' f'{a}' '}', "a: {}, " f"{5}", f"{a}" "{{}}", f"{{x}}" "{", "{" f"x" "}")
print(f'a' 'b' f'{b}', '{' '}', '{}' '{}'.format(1, 2))
print('{}' '{0}' f'' '{b!r}', '{' '}' f"{a}{{" '{{' rf'\d{a}', u'{' F'{a:{a}}' "}")
print(f'{a}' '{' * 3, ('{' f'{b}' '}').upper(), '\x7b' f'{a}' '\x7d')
"""
DEAD = """\
def f():
    if False: yield
print(list(f()))
def g():
    while 0: yield 1
    if True: return
    else: yield 2
print(list(g()))
class I:
    def __iter__(self):
        if None:
            yield
print(list(I()))
x = 5
def k():
    if 0: x = 2
    try: print(x)
    except UnboundLocalError: print('UnboundLocalError')
k()
y = 1
def m():
    if 0: global y
    y = 2
m(); print(y)
def n():
    z = 1
    def o():
        if False: nonlocal z
        z = 2
    o(); return z
print(n())
def p(v):
    while True:
        v += 1
        if v > 5: break
    else: q = 1
    return v if True else [w for w in (yield)]
print(type(p(1)).__name__)
if False:
    def never(): return [i for i in range(3)]
    class Never: pass
print('never' in globals())
"""


def test_strings_beside_fstrings(any_device: Device) -> None:
    assert_alike(any_device, PARTS)


def test_prefixes(any_device: Device) -> None:
    cases = {"".join(p) for base in ("r", "u", "b", "f", "rf", "fr", "rb", "br")
             for p in itertools.product(*[(c, c.upper()) for c in base])}  # fmt: skip
    lines = [f"print({prefix}'a\\\\n', {prefix}\"b\")" for prefix in sorted(cases)]
    assert_alike(any_device, "\n".join([*lines, "R, F, BR = 1, 2, 3", "print(R, F, BR)"]) + "\n")


def test_code_that_is_never_executed(any_device: Device) -> None:
    assert_alike(any_device, DEAD)


@pytest.mark.parametrize("source", ["if 0: break", "while 0: return", "if False: nonlocal x"])
def test_it_has_to_be_right(any_device: Device, source: str) -> None:
    assert b"SyntaxError" in run(any_device, [source], 1).stderr[0]
    with pytest.raises(SyntaxError):
        compile(source, "<program>", "exec")
