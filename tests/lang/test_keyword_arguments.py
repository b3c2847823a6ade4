"""Keyword arguments of built-in functions, methods and types."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import assert_alike, calls

EXPRESSIONS = [
    "int('ff', base=16)",
    "int('11', 2)",
    "int(base=2)",
    "int('1', bass=2)",
    "sum([1, 2], start=5)",
    "sum([[1], [2]], start=[])",
    "round(2.567, ndigits=2)",
    "round(number=2.5)",
    "round(2.5, ndigits=None)",
    "pow(3, 4, mod=5)",
    "pow(base=3, exp=4)",
    "pow(base=3)",
    "str(b'ab', encoding='utf-8')",
    "str(object=5)",
    "bytes('ab', encoding='ascii')",
    "bytearray('ab', encoding='utf-8')",
    "complex(real=1, imag=2)",
    "complex(imag=2)",
    "'a b c'.split(maxsplit=1)",
    "'a,b,c'.split(sep=',')",
    "'a,b,c'.split(',', maxsplit=1)",
    "'a,b,c'.rsplit(sep=',', maxsplit=1)",
    "'a,b'.split(',', sep=',')",
    "'a,b'.split(spe=',')",
    "b'a,b,c'.split(sep=b',', maxsplit=1)",
    "'ab\\ncd'.splitlines(keepends=True)",
    "'ab'.encode(encoding='utf-8')",
    "'a\\tb'.expandtabs(tabsize=4)",
    "(300).to_bytes(length=2, byteorder='big')",
    "(-3).to_bytes(2, byteorder='little', signed=True)",
    "int.from_bytes(b'\\xff', byteorder='big', signed=True)",
    "int.from_bytes(bytes=b'\\x01\\x02', byteorder='little')",
    "list(zip('ab', [1, 2], strict=True))",
    "list(zip('ab', [1], strict=True))",
    "list(zip('a', [1, 2], strict=True))",
    "list(zip('ab', [1], strict=False))",
    "list(zip('ab', [1, 2], 'x', strict=True))",
    "list(zip(strict=True))",
    "list(zip('ab', strikt=True))",
    "list(enumerate('ab', start=3))",
    "list(enumerate(iterable='ab'))",
    "sorted([3, 1, 2], reverse=True, key=abs)",
    "max([1, -3], key=abs)",
    "min([], default=4)",
    "max([1, 2], key=None)",
    "min(3, 1, key=None)",
    "min([], key=None, default=5)",
    "min([1], wrong=1)",
    "max(1, 2, default=3)",
    "min(1, 2, key=None, default=3)",
    "max(*range(20), key=None)",
    "max(key=abs)",
    "max(default=1)",
    "int(x=1)",
    "'ab'.center(7, '*')",
    "'ab'.center(5)",
    "'ab'.center()",
    "print('x', flush=True)",
    "print('x', 'y', sep='-', flush=True, end='!\\n')",
    "print('x', wrong=1)",
    "len(obj=[])",
    "(lambda f: f(',', maxsplit=1))('a,b,c'.split)",
    "list(map(lambda t: int(t, base=8), ['7', '10']))",
    "S('a,b').split(sep=',')",
    "str.split('a,b', sep=',')",
    "int(*['11'], **{'base': 2})",
]


def test_calls(any_device: Device) -> None:
    assert_alike(any_device, calls("class S(str): pass", EXPRESSIONS))


def test_messages(any_device: Device) -> None:
    assert_alike(
        any_device,
        """\
for texts in (('ab', 'a'), ('a', 'a', 'ab'), ('ab', 'ab', 'a'), ('a', 'ab')):
    try:
        list(zip(*texts, strict=True))
    except ValueError as error:
        print(error)
""",
    )


def test_methods_without_self(any_device: Device) -> None:
    """A method that a program calls on its class needs `self` beside the keyword arguments."""
    lines = [
        "str.split(sep=',')",
        "str.encode(errors='strict')",
        "str.expandtabs(tabsize=3)",
        "bytes.decode(encoding='ascii')",
        "bytes.hex(sep=':')",
        "bytes.translate(delete=b'a')",
        "int.to_bytes(length=2)",
        "int.from_bytes(byteorder='big')",
    ]
    assert_alike(any_device, calls("", lines))
