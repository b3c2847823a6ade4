"""Porter's C library compared with Python implementations of its functions."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porter.base import paths

LIBC = paths.templates_dir() / "libc"
FLAGS = ["-std=gnu99", "-nostdinc", "-ffreestanding", "-I", str(LIBC), "-include", "porter_names.h"]

# Text without zero bytes; short alphabets make matches likely.
text = st.binary(max_size=24).map(lambda b: bytes(97 + x % 4 for x in b))
blob = st.binary(max_size=64)


@pytest.fixture(scope="module")
def libc(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    result = tmp_path_factory.mktemp("libc") / "libc.so"
    fatal = result.with_name("fatal.c")  # the runtime's part; these tests never call it
    fatal.write_text("void porter_fatal(const char *m) { (void)m; __builtin_trap(); }\n")
    sources = [LIBC / "string.c", LIBC / "stdlib.c", fatal]
    command = ["gcc", *FLAGS, "-fno-builtin", "-O1", "-Wall", "-Werror", "-fPIC", "-shared"]
    subprocess.run([*command, *sources, "-o", result], check=True)
    return ctypes.CDLL(str(result))


def function(libc: ctypes.CDLL, name: str, result: object, *args: object) -> Callable[..., object]:
    found = getattr(libc, f"porter_{name}")
    found.restype, found.argtypes = result, args
    return found


def sign(number: object) -> int:
    assert isinstance(number, int)
    return (number > 0) - (number < 0)


@given(a=text, b=text, n=st.integers(0, 30))
def test_compare(libc: ctypes.CDLL, a: bytes, b: bytes, n: int) -> None:
    strcmp = function(libc, "strcmp", ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
    assert sign(strcmp(a, b)) == (a > b) - (a < b)
    strncmp = function(
        libc, "strncmp", ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t
    )
    assert sign(strncmp(a, b, n)) == (a[:n] > b[:n]) - (a[:n] < b[:n])
    memcmp = function(
        libc, "memcmp", ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t
    )
    size = min(len(a), len(b))
    assert sign(memcmp(a, b, size)) == (a[:size] > b[:size]) - (a[:size] < b[:size])


@given(a=text, b=text, c=st.sampled_from(b"abcdz"))
def test_search(libc: ctypes.CDLL, a: bytes, b: bytes, c: int) -> None:
    buffer = ctypes.create_string_buffer(a)
    base = ctypes.addressof(buffer)

    def offset(name: str, *args: object) -> int:
        kinds = [ctypes.c_char_p if isinstance(x, bytes) else ctypes.c_int for x in args]
        found = function(libc, name, ctypes.c_void_p, ctypes.c_void_p, *kinds)(base, *args)
        return -1 if found is None else found - base  # type: ignore[operator]

    assert offset("strchr", c) == a.find(c)
    assert offset("strrchr", c) == a.rfind(c)
    assert offset("strstr", b) == a.find(b)
    assert offset("strchr", 0) == len(a)
    span = function(libc, "strspn", ctypes.c_size_t, ctypes.c_char_p, ctypes.c_char_p)
    assert span(a, b) == len(a) - len(a.lstrip(b)) if b else span(a, b) == 0
    cspan = function(libc, "strcspn", ctypes.c_size_t, ctypes.c_char_p, ctypes.c_char_p)
    assert cspan(a, b) == next((i for i, x in enumerate(a) if x in b), len(a))
    strlen = function(libc, "strlen", ctypes.c_size_t, ctypes.c_char_p)
    assert strlen(a) == len(a)


@given(data=blob, start=st.integers(0, 40), to=st.integers(0, 40), size=st.integers(0, 40))
def test_move_overlapping(libc: ctypes.CDLL, data: bytes, start: int, to: int, size: int) -> None:
    data = data.ljust(96, b"-")
    buffer = ctypes.create_string_buffer(data, len(data))
    base = ctypes.addressof(buffer)
    memmove = function(
        libc, "memmove", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t
    )
    assert memmove(base + to, base + start, size) == base + to
    expected = bytearray(data)
    expected[to : to + size] = data[start : start + size]
    assert buffer.raw == bytes(expected)


@given(start=st.integers(0, 16), size=st.integers(0, 40), value=st.integers(-3, 300))
def test_set(libc: ctypes.CDLL, start: int, size: int, value: int) -> None:
    buffer = ctypes.create_string_buffer(b"-" * 64, 64)
    memset = function(libc, "memset", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int,
                      ctypes.c_size_t)  # fmt: skip
    memset(ctypes.addressof(buffer) + start, value, size)
    assert buffer.raw == b"-" * start + bytes([value & 255]) * size + b"-" * (64 - start - size)


@pytest.mark.parametrize(
    ("written", "base", "value", "rest"),
    [
        (b"42", 10, 42, b""),
        (b"  -17x", 10, -17, b"x"),
        (b"+0x1fg", 0, 31, b"g"),
        (b"0755", 0, 493, b""),
        (b"0x", 16, 0, b"x"),
        (b"zz", 36, 1295, b""),
        (b"none", 10, 0, b"none"),
        (b"-", 10, 0, b"-"),
        (b"9223372036854775808", 10, 2**63 - 1, b""),
        (b"-9223372036854775809", 10, -(2**63), b""),
        (b"99999999999999999999999", 10, 2**63 - 1, b""),
    ],
)
def test_strtol(libc: ctypes.CDLL, written: bytes, base: int, value: int, rest: bytes) -> None:
    strtol = function(
        libc, "strtol", ctypes.c_long, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p),
        ctypes.c_int,
    )  # fmt: skip
    end = ctypes.c_char_p()
    assert strtol(written, ctypes.byref(end), base) == value
    assert end.value == rest


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=40))
def test_qsort(libc: ctypes.CDLL, items: list[int]) -> None:
    compare_type = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int)
    )
    array = (ctypes.c_int * len(items))(*items)
    qsort = function(
        libc, "qsort", None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, compare_type
    )
    qsort(array, len(items), 4, compare_type(lambda a, b: (a[0] > b[0]) - (a[0] < b[0])))
    assert list(array) == sorted(items)


CLASSIFY = r"""
#include <math.h>
int main(void) {
    double zero = 0.0, tiny = 4.9e-324;
    float small = 1e-45f;
    if (!isnan(NAN) || isnan(INFINITY) || isnan(1.0)) return 1;
    if (!isinf(-INFINITY) || isinf(NAN) || isinf(1e308)) return 2;
    if (!isfinite(1e308) || isfinite(INFINITY) || isfinite(NAN)) return 3;
    if (!signbit(-zero) || signbit(zero) || !signbit(-1.0f)) return 4;
    if (fpclassify(zero) != FP_ZERO || fpclassify(tiny) != FP_SUBNORMAL) return 5;
    if (fpclassify(small) != FP_SUBNORMAL || fpclassify(1.0) != FP_NORMAL) return 6;
    return 0;
}
"""


def test_float_classification(tmp_path: Path) -> None:
    source = tmp_path / "main.c"
    source.write_text(CLASSIFY)
    subprocess.run(["gcc", *FLAGS, source, "-o", tmp_path / "main"], check=True)
    assert subprocess.run([tmp_path / "main"]).returncode == 0


def test_every_header_stands_alone(tmp_path: Path) -> None:
    for header in sorted(LIBC.rglob("*.h")):
        source = tmp_path / "one.c"
        name = header.relative_to(LIBC)
        source.write_text(f"#include <{name}>\n#include <{name}>\n")
        subprocess.run(["gcc", *FLAGS, "-Wall", "-Werror", "-c", source, "-o", "/dev/null"],
                       check=True)  # fmt: skip
