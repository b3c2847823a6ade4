"""Methods of built-in types: an interpreter gives what CPython gives, for random arguments."""

from __future__ import annotations

import random

from porter.run import Device
from tests.library.compare import assert_alike, calls

LETTERS = "aBcZ09_ -+\t.'éÉßÀσςΣŉǆǅİıﬁ€Ⅷ²٣\u0301漢\U0001f600\U00010428\x85\u2028"
SIGMAS = "aAb\u03a3\u03c3 .\u0301"
FILLS = ["", ", 'x'", ", '€'", ", 'xy'", ", 5"]
PLAIN = [
    "capitalize",
    "casefold",
    "isalnum",
    "isalpha",
    "isascii",
    "isdecimal",
    "isdigit",
    "isidentifier",
    "islower",
    "isnumeric",
    "isprintable",
    "isspace",
    "istitle",
    "isupper",
    "lower",
    "swapcase",
    "title",
    "upper",
]
BYTES_PLAIN = [
    "capitalize",
    "isalnum",
    "isalpha",
    "isascii",
    "isdigit",
    "islower",
    "isspace",
    "istitle",
    "isupper",
    "lower",
    "swapcase",
    "title",
    "upper",
]
UNARY = ["bit_length", "bit_count", "conjugate", "as_integer_ratio"]
ATTRIBUTES = ["real", "imag", "numerator", "denominator"]


def _text(source: random.Random, letters: str = LETTERS, most: int = 7) -> str:
    return "".join(source.choice(letters) for _ in range(source.randint(0, most)))


def test_characters(any_device: Device) -> None:
    """Compare properties and mappings, by a hash for each block of characters."""
    assert_alike(
        any_device,
        """\
def check(numbers):
    total = 7
    for number in numbers:
        c = chr(number)
        texts = (c.upper(), c.lower(), c.title(), c.casefold(), c.swapcase(), ("a" + c).title())
        for text in texts:
            for other in text:
                total = (total * 31 + ord(other)) % 0xfffffff
        flags = (c.isalpha(), c.isdecimal(), c.isdigit(), c.isnumeric(), c.isspace(), c.isupper(),
                 c.islower(), c.isprintable(), c.isidentifier(), ("a" + c).isidentifier())
        for flag in flags:
            total = (total * 2 + flag) % 0xfffffff
    print(numbers, total)

for first in range(0, 0x3000, 0x400):
    check(range(first, first + 0x400))
for first in (0xa640, 0xab30, 0xfb00, 0x10400, 0x1e900, 0x1d400):
    check(range(first, first + 0x100))
""",
    )


def test_text_properties(any_device: Device) -> None:
    source = random.Random(1)
    expressions = [f"{_text(source)!r}.{source.choice(PLAIN)}()" for _ in range(500)]
    expressions += [f"{_text(source, SIGMAS)!r}.lower()" for _ in range(60)]
    expressions += [
        f"{_text(source, 'aBz09 -')!r}.encode().{source.choice(BYTES_PLAIN)}()" for _ in range(200)
    ]
    expressions += ["bytearray(b'aB c').title()", "bytearray(b'aB c').swapcase()", "''.isascii()"]
    expressions += ["str.upper('é')", "list(map(str.title, ['ab', 'é']))", "str.isalnum(5)"]
    assert_alike(any_device, calls("", expressions))


def test_text_methods(any_device: Device) -> None:
    source = random.Random(2)
    expressions = []
    for _ in range(250):
        text, width = repr(_text(source)), source.randint(-2, 14)
        name = source.choice(["center", "ljust", "rjust"])
        expressions.append(f"{text}.{name}({width}{source.choice(FILLS)})")
        expressions.append(f"{text}.zfill({width})")
        part = repr(_text(source, "aB€", 2))
        expressions.append(f"({part} + {text}).removeprefix({part})")
        expressions.append(f"({text} + {part}).removesuffix({source.choice([part, '5'])})")
    for _ in range(80):
        text = repr(_text(source, "ab€\t\n\r ", 12))
        expressions.append(f"{text}.expandtabs({source.choice(['', '4', '0', '-1', 'tabsize=3'])})")
        table = source.choice(
            ["{97: 'xy', 98: None, 8364: 33}", "str.maketrans('ab', '€c')", "'x' * 98", "{97: 1.5}"]
        )
        expressions.append(f"{text}.translate({table})")
    expressions += [
        "str.maketrans({'a': 1, 5: 'b'})",
        "str.maketrans('abc', 'xyz', 'q€')",
        "str.maketrans('ab', 'x')",
        "str.maketrans({'ab': 1})",
        "str.maketrans(5)",
        "'{a} {b!r:>5} {{}} {a[0]}'.format_map({'a': 'xyz', 'b': 1})",
        "'{a} {b}'.format_map(Default())",
        "'{a}'.format_map({})",
    ]
    expressions += [
        f"b'-a\\tb'.{call}"
        for call in (
            "center(9, b'*')",
            "ljust(6)",
            "rjust(6, b'12')",
            "zfill(6)",
            "removeprefix(b'-')",
            "removesuffix(b'b')",
            "expandtabs(3)",
            "translate(None, b'a')",
            "translate(bytes(range(256)))",
            "translate(b'')",
            "translate(bytes.maketrans(b'ab', b'xy'), delete=b'-')",
            "removeprefix('-')",
        )
    ]
    expressions += [
        "bytearray(b'12').zfill(4)",
        "bytes.maketrans(b'a', b'')",
        "hasattr('', 'nothing')",
    ]
    prelude = "class Default:\n    def __getitem__(self, name): return name * 2"
    assert_alike(any_device, calls(prelude, expressions))


def test_integers(any_device: Device) -> None:
    source = random.Random(3)
    expressions = []
    for _ in range(150):
        number = source.choice([0, 1, -1, 255, -256, 2**46, -(2**46), source.randint(-300, 300)])
        if source.random() < 0.4:
            number = source.randint(-(2**130), 2**130) >> source.randint(0, 120)
        expressions.append(f"({number}).{source.choice(UNARY)}()")
        expressions.append(f"({number}).{source.choice(ATTRIBUTES)}")
        length, order = source.randint(0, 18), source.choice(["little", "big"])
        signed = source.choice(["True", "False"])
        expressions.append(f"({number}).to_bytes({length}, '{order}', signed={signed})")
        data = source.randbytes(source.randint(0, 18))
        expressions.append(f"int.from_bytes({data!r}, '{order}', signed={signed})")
    expressions += [
        "True.bit_length()",
        "True.real",
        "(5).is_integer() if hasattr(5, 'is_integer') else True",
        "int.from_bytes([1, 2], 'big')",
        "int.from_bytes(bytearray(b'ab'), byteorder='little')",
        "(1).to_bytes(2, 'middle')",
        "(1).to_bytes(-1, 'big')",
        "int.bit_length(5)",
        "int.from_bytes(b'\\xff' * 20, 'big', signed=True)",
        "int.from_bytes('a', 'big')",
    ]
    assert_alike(any_device, calls("", expressions))


def test_floats(any_device: Device) -> None:
    source = random.Random(4)
    numbers = [0.0, -0.0, 1.5, -2.0, 5e-324, 2.0**-1022, 1e308, float("inf"), float("nan"), 1e22]
    expressions = []
    for _ in range(100):
        value = source.choice(
            [*numbers, source.uniform(-9, 9), source.random() * 2.0 ** source.randint(-1070, 1000)]
        )
        shown = f"float('{value!r}')"
        expressions += [
            f"{shown}.{name}()" for name in ("is_integer", "as_integer_ratio", "hex", "conjugate")
        ]
        expressions += [
            f"{shown}.imag",
            f"repr({shown}.real)",
            f"repr(float.fromhex({shown}.hex()))",
        ]
    texts = (
        "0x1p-1074,0x1.8p-1074,0x0.8p-1074,0x1.fffffffffffff8p0,0x1.fffffffffffff7p1023,0x1p1024,"
        "0x1.fffffffffffff8p1023,1,-0xA.8p+3, 0x.8 ,inf,-Infinity,0x,p1,0x1p,1.2.3,0x1g,"
        "0x1.00000000000008p0,0x1.000000000000080000000001p0,0x1p-99999999999,0x1.8p-1075"
    )
    expressions += [f"repr(float.fromhex({text!r}))" for text in texts.split(",")]
    assert_alike(any_device, calls("", expressions))


def test_special_methods(any_device: Device) -> None:
    expressions = [
        "[1].__add__([2])",
        "[1, 2].__len__()",
        "'abc'.__contains__('b')",
        "(5).__add__(3)",
        "(5).__radd__(3)",
        "(5).__rsub__(3)",
        "(7).__divmod__(2)",
        "(2.5).__mul__(2)",
        "{1: 2}.__contains__(1)",
        "list([1, 2].__iter__())",
        "'ab'.__eq__('ab')",
        "(1, 2).__lt__((1, 3))",
        "'a'.__repr__()",
        "(5).__str__()",
        "{1, 2}.__and__({2, 3})",
        "frozenset([1]).__or__({2})",
        "[1, 2, 3].__getitem__(1)",
        "(5).__invert__()",
        "(5).__float__()",
        "(5.7).__int__()",
        "range(3, 9).index(5)",
        "range(9).count(3)",
        "range(3).index(9)",
        "(5).__bool__()",
        "bytearray(b'ab').__len__()",
        "hash('ab') == 'ab'.__hash__()",
        "hasattr([], '__hash__x')",
        "L([1]).add([2])",
        "L([1]).total",
        "D(a=1).double()",
        "S('ab').__len__()",
        "S('ab').twice()",
        "I(5).bit_length()",
        "L.append(L([1]), 2)",
        "list.append(L(), 1)",
        "dict.get(D(a=1), 'a')",
        "str.zfill(S('7'), 3)",
        "str.upper(S('a'))",
    ]
    prelude = """
class L(list):
    def add(self, other): return list.__add__(self, other)
    @property
    def total(self): return len(self) + super().__len__()
class D(dict):
    def __getitem__(self, key): return super().__getitem__(key) * 2
    def double(self): return self["a"], super().__contains__("a")
class S(str):
    def twice(self): return self.title() + self.ljust(4) + "."
class I(int): pass
"""
    assert_alike(any_device, calls(prelude, expressions))


def test_encodings(any_device: Device) -> None:
    source = random.Random(5)
    handlers = ["strict", "ignore", "replace", "backslashreplace", "nothing"]
    codecs = ["utf-8", "UTF8", "ascii", "latin-1", "ISO-8859-1", "us_ascii", "none"]
    expressions = []
    for _ in range(200):
        text, handler, codec = (
            _text(source, "aé€\U0001f600"),
            source.choice(handlers),
            source.choice(codecs),
        )
        expressions.append(f"{text!r}.encode({codec!r}, {handler!r})")
        data = bytes(
            source.choice([65, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0xED, 0xFF, 0x80])
            for _ in range(6)
        )
        expressions.append(f"{data!r}.decode({codec!r}, errors={handler!r})")
        expressions.append(f"str({data!r}, {codec!r}, {handler!r})")
    expressions += [
        "bytes('é', 'latin-1')",
        "'é'.encode(encoding='ascii', errors='xmlcharrefreplace')",
    ]
    expressions += ["str(b'ab', errors='strict')", "b'ab'.decode(errors='ignore')"]
    assert_alike(any_device, calls("", expressions))


def test_items_by_their_special_methods(any_device: Device) -> None:
    """`__getitem__` and its like perform what a subscription performs, or raise its exception."""
    assert_alike(
        any_device,
        """\
for make in ("[1, 2, 3]", "(1, 2, 3)", "'abc'", "b'abc'", "bytearray(b'abc')", "{0: 1}"):
    for index in (0, -1, 9, slice(0, 2), slice(None, None, 2), None, "x", 1.5):
        for name in ("__getitem__", "__delitem__", "__setitem__"):
            value = eval(make)
            method = getattr(value, name, None)
            if method is None or (type(value) is dict and type(index) is slice):
                continue
            arguments = (index, 65) if name == "__setitem__" else (index,)
            try:
                result = method(*arguments)
                print(name, index, result, value)
            except Exception as error:
                print(name, index, type(error).__name__)
""",
    )


def test_numbers_that_change_a_bytearray(any_device: Device) -> None:
    """The conversion of an argument to a number empties or fills the bytearray, and runs once."""
    assert_alike(
        any_device,
        """\
class Number:
    def __init__(self, value, after): self.value, self.after = value, after
    def __index__(self):
        global calls
        calls += 1
        b[:] = self.after
        return self.value
    __int__ = __index__
for after in (b"", b"xy" * 500):
    for value in (-1, 0, 3, 150, 799):
        for method in ("center", "ljust", "rjust", "zfill", "expandtabs"):
            b, calls = bytearray(b"abcdefgh" * 10), 0
            result = getattr(b, method)(Number(value, after))
            print(method, value, len(result), bytes(result[:9]), calls)
        b, calls = bytearray(b"abcdefgh" * 100), 0
        try:
            del b[Number(value, after)]
        except IndexError:
            print("IndexError")
        print(len(b), bytes(b[:4]), calls)
""",
    )
