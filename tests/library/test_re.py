"""Regular expressions: generated patterns have CPython's results and errors, within all limits."""

from __future__ import annotations

import re
import sys
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porter.run import Device, Launch, Program, run
from tests.cpython import cpython

from .compare import ROOMY, printed
from .expressions import Case, cases, program

FEW = settings(
    max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def assert_alike(device: Device, chosen: list[Case]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about classes such as [[a]
        expected = cpython(program(chosen)).decode().splitlines()
    for got, wanted in zip(printed(device, program(chosen)).splitlines(), expected, strict=True):
        assert got == wanted


@pytest.mark.parametrize("broken", [False, True], ids=["patterns", "errors"])
def test_patterns(any_device: Device, broken: bool) -> None:
    @given(seed=st.integers(0, 2**32))
    @FEW
    def check(seed: int) -> None:
        assert_alike(any_device, cases(seed, broken))

    check()


@pytest.mark.campaign("regular-expressions")
@pytest.mark.parametrize("broken", [False, True], ids=["patterns", "errors"])
def test_many_patterns(any_device: Device, broken: bool) -> None:
    for seed in range(60):
        assert_alike(any_device, cases(seed, broken))


def same_without_case() -> list[tuple[str, str]]:
    """Return pairs of characters that CPython's `re` takes for equal without case."""
    cased = [c for c in map(chr, range(sys.maxunicode + 1)) if c.lower() != c or c.upper() != c]
    groups: dict[str, list[str]] = {}
    for c in cased:
        groups.setdefault(c.casefold(), []).append(c)
    pairs = [(a, b) for group in groups.values() for a in group for b in group if a != b]
    return [(a, b) for a, b in pairs if re.match(a, b, re.IGNORECASE)]


CASE_PROGRAM = """
import re
text = %s
for i in range(0, len(text), 2):
    a, b = text[i], text[i + 1]
    if not (re.match(a, b, re.I) and re.match("[x" + a + "]", b, re.I)
            and not re.match("[^" + a + "]", b, re.I) and re.match("(.)\\\\1", a + b, re.I)):
        print(hex(ord(a)), hex(ord(b)))
"""


def test_all_cased_characters(any_device: Device) -> None:
    pairs = same_without_case()
    assert len(pairs) > 2500
    text = "".join(a + b for a, b in pairs)
    assert printed(any_device, CASE_PROGRAM % ascii(text)) == ""


def test_characters_of_categories(any_device: Device) -> None:
    lines = [
        f"print([{name!r}, sum(map(ord, re.findall({name!r}, text)))])"
        for name in (r"\w", r"\W", r"\d", r"\D", r"\s", r"\S")
    ]
    # The tables of both sides differ beyond these blocks, by the version of Unicode.
    code = "import re\ntext = ''.join(map(chr, range(0x250)))\n" + "\n".join(lines)
    assert printed(any_device, code) == cpython(code).decode()


CATASTROPHES = [
    "re.match('(a*)*b', 'a' * 40)",
    "re.match('(a|aa)+$', 'a' * 60 + 'b')",
    "re.match(r'(?:(x+)\\1?)+y', 'x' * 60)",
    "re.match('(?=(a+)+b)', 'a' * 50)",
    "re.match('(?:){4000000000}', '')",
    "re.search('(.*)(.*)(.*)(.*)(.*)x', 'a' * 200)",
    "re.findall('(?:a?){30}a{30}', 'a' * 30)",
    "re.compile('(a?)*?b').search('a' * 5000)",
]


@pytest.mark.parametrize("call", CATASTROPHES)
def test_backtracking_ends_with_the_steps(any_device: Device, call: str) -> None:
    code = f"import re\nprint('begin')\n{call}\nprint('end')\n"
    launch = Launch(heap=8 << 20, max_steps=100_000, timeout=60.0)
    result = run(any_device, [Program(code, "<program>")], 1, launch)
    assert result.statuses(result.status[0]).name == "OUT_OF_STEPS"
    assert result.stdout[0] == b"begin\n"


LARGE = [
    ("re.match('(?:(a)|b)*', 'ab' * 50000)", "MemoryError"),
    ("re.compile('(' * 100000)", "MemoryError"),
    ("re.compile('((((a)*)*)*)*' * 2000)", "MemoryError"),
    ("re.sub('', '-' * 1000, 'a' * 1000)", "MemoryError"),
    ("re.compile('[' + ''.join(map(chr, range(0x100, 0x4000, 2))) + ']')", "MemoryError"),
    ("re.match('(?:a|b)*', 'ab' * 100).end()", "200"),
]


@pytest.mark.parametrize(("call", "expected"), LARGE)
def test_full_heap(any_device: Device, call: str, expected: str) -> None:
    """A pattern that needs more memory than there is raises, and the next one works."""
    code = f"""
import re
try:
    print({call})
except MemoryError as error:
    print(type(error).__name__)
print(re.findall('a(b)', 'abab'))
"""
    result = run(any_device, [Program(code, "<program>")], 1, Launch(heap=64 << 10))
    assert result.stdout[0].decode() == f"{expected}\n['b', 'b']\n", result.stderr[0]


DEEP = [
    ("re.match('(' * 3000 + 'a' + ')' * 3000, 'a').end(3000)", "1"),
    ("re.match('(?:' * 300 + 'a' + ')*' * 300, 'aaa').end()", "3"),
    ("re.match('(?:a|b)*c', 'ab' * 20000 + 'c').end()", "40001"),
    ("re.match('(?=' * 1000 + 'a' + ')' * 1000, 'a').end()", "0"),
    ("len(re.compile('a|' * 5000).findall('aa'))", "3"),
]


@pytest.mark.parametrize(("call", "expected"), DEEP)
def test_depth_takes_no_c_stack(any_device: Device, call: str, expected: str) -> None:
    launch = Launch(heap=4 << 20, stack=16 << 10)
    code = f"import re\nprint({call})"
    result = run(any_device, [Program(code, "<program>")], 1, launch)
    assert result.stdout[0].decode() == f"{expected}\n", result.stderr[0]


CHANGES = """
import re
data = bytearray(b'aXbXc')
def cut(match):
    del data[2:]
    return b'-'
print(re.sub(b'X', cut, data), data)
data = bytearray(b'aXbXcX')
found = re.finditer(b'X', data)
first = next(found)
data[:] = b''
print(first.group(), list(found))
print(re.purge(), len(re.findall('x', 'xx')))
"""


def test_texts_that_change(any_device: Device) -> None:
    assert printed(any_device, CHANGES) == ("b'a-' bytearray(b'aX')\nb'' []\nNone 2\n")


def test_positions_in_long_texts_take_linear_time(any_device: Device) -> None:
    code = """
import re
text = 'é b' * 20000
print(sum(match.start() for match in re.finditer('b', text)))
"""
    assert printed(any_device, code) == cpython(code).decode()


def test_an_import_takes_no_heap(any_device: Device) -> None:
    code = "import gc\nre = free = 0\ngc.collect()\nfree = gc.mem_free()\n"
    code += "import re\nprint(free - gc.mem_free())"
    result = run(any_device, [Program(code, "<program>")], 1, ROOMY)
    assert int(result.stdout[0]) <= 64
