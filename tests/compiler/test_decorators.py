"""Decorators that request native code are found in the source wherever Python allows them."""

from __future__ import annotations

import pytest

from porter.compiler.decorators import Decorated, asked_for, kind_of

SOURCE = '''\
import micropython
text = """
@micropython.native
def no(): pass
"""
@micropython.native
def first(a: int,
          b=(1,
             2)) -> int:
    x = [i for i in range(a)]
    @micropython.bytecode
    def plain():
        return 1

    def inner(): return lambda: x
    return x

# @micropython.native
def second(): pass

class C:
    @staticmethod
    @ micropython . viper
    # a comment between
    @other(1)
    async def method(x): return x
    def plain(self): pass

if text:
    @micropython.native
    class D:
        def method(self):
            return 2
last = 1
'''


def test_functions_are_found_with_their_lines() -> None:
    assert asked_for(SOURCE) == (
        Decorated("first", 7, 16, "native"),
        Decorated("inner", 15, 15, "native"),
        Decorated("method", 26, 26, "viper"),
        Decorated("D", 31, 33, "native"),
        Decorated("method", 32, 33, "native"),
    )


@pytest.mark.parametrize(
    ("name", "line", "kind"),
    [
        ("<module>", 7, ""),
        ("first", 10, "native"),
        ("<listcomp>", 10, "native"),
        ("plain", 13, ""),
        ("<lambda>", 15, "native"),
        ("second", 19, ""),
        ("method", 26, "viper"),
        ("plain", 27, ""),
        ("method", 33, "native"),
        ("<lambda>", 34, ""),
    ],
)
def test_a_function_of_bytecode_is_told_by_name_and_line(name: str, line: int, kind: str) -> None:
    assert kind_of(asked_for(SOURCE), name, line) == kind


@pytest.mark.parametrize(
    "source",
    [
        "",
        "@micropython.native",
        "@micropython.native\nx = 1\ndef f(): pass\n",
        "@micropython\ndef f(): pass\n",
        "@micropython.asm_thumb\ndef f(): pass\n",
        "@micropython.native\n@micropython.bytecode\ndef f(): pass\n",
        "@other.native\ndef f(): pass\n",
        "(((",
        '"""',
        "  x\n y\n",
        "\0",
    ],
)
def test_nothing_is_found_where_nothing_asks(source: str) -> None:
    assert asked_for(source) == ()


def test_what_stands_before_a_broken_end_is_found() -> None:
    source = "@micropython.viper\ndef f(x):\n  return x\n\ndef g(:\n x = '''\n"
    assert asked_for(source)[0].name == "f"
    assert asked_for(source)[0].line == 2
