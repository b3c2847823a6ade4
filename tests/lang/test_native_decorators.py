"""`@micropython.native` and `@micropython.viper`: bytecode functions with Python semantics."""

from __future__ import annotations

import pytest

from porter.run import Device, run

SAME = """
def big(a: int, b: int = 3) -> uint:
    x: ptr32 = a
    y: missing.name[0]
    return x << b
def each(data: ptr8):
    for item in data:
        yield item
def outer(n):
    def inner(): return n / 2
    return inner
async def wait(x: unknown): return x
class Held:
    def get(self: nothing, *rest: 1 // 0) -> undefined: return rest
print(big(1 << 60, 70), big("-", 0) if 0 else big(True), list(each(b"ab")), outer(3)())
print(big.__name__, Held().get(1, 2))
try:
    print(next(wait(5)) if 0 else wait(5).send(None))
except StopIteration as error:
    print(error.value)
try:
    big(2.5)
except TypeError as error:
    print(error)
"""


def decorated(kind: str) -> str:
    text = SAME
    for word in ("def big", "def each", "def outer", "async def wait", "class Held"):
        text = text.replace(f"\n{word}", f"\n@micropython.{kind}\n{word}")
    return text


@pytest.mark.parametrize("kind", ["native", "viper", "bytecode"])
def test_decorated_functions_do_what_others_do(any_device: Device, kind: str) -> None:
    plain, other = run(any_device, [SAME], 1), run(any_device, [decorated(kind)], 1)
    assert plain.stdout[0].startswith(b"1361129467683753853853498429727072845824 8 [97, 98] 1.5\n")
    assert (other.stdout[0], other.stderr[0]) == (plain.stdout[0], b"")


def test_an_error_names_its_line(any_device: Device) -> None:
    source = "@micropython.native\ndef f(x):\n    y = 1\n    return x / 0\nf(1)\n"
    shown = run(any_device, [source], 1).stderr[0]
    assert b"line 5, in <module>" in shown and b"line 4, in f" in shown


@pytest.mark.parametrize("decorator", ["asm_thumb", "asm_x64", "natives", ""])
def test_other_decorators_are_refused(any_device: Device, decorator: str) -> None:
    name = f"micropython.{decorator}".rstrip(".")
    shown = run(any_device, [f"@{name}\ndef f(): pass\n"], 1).stderr[0]
    assert b"SyntaxError" in shown


def test_types_of_viper_are_no_names(any_device: Device) -> None:
    source = "@micropython.viper\ndef f(x):\n    return ptr8(x)\nf(b'')\n"
    assert b"NameError: name 'ptr8' is not defined" in run(any_device, [source], 1).stderr[0]
