"""The functions of templates/runtime/sizes.inc against Python's integers."""

from __future__ import annotations

import random
from ctypes import CDLL, c_int, c_int64, c_uint32, c_uint64

import pytest

from .support import CXX_FLAGS, RUNTIME, run_tool

TYPES = {
    "int": (c_int, 32, True),
    "unsigned int": (c_uint32, 32, False),
    "long": (c_int64, 64, True),
    "unsigned long": (c_uint64, 64, False),
}
EDGES = sorted(
    {
        sign * (1 << power) + near
        for power in (0, 3, 31, 32, 33, 61, 62, 63)
        for near in (-2, -1, 0, 1, 2)
        for sign in (1, -1)
    }
)


def source() -> str:
    """Return the helpers as functions of C linkage, one for each type."""
    lines = ["#define PORTER_DEVICE", '#include "sizes.inc"', 'extern "C" {']
    for number, name in enumerate(TYPES):
        for helper in ("add", "mul", "up"):
            lines.append(
                f"{name} {helper}_{number}({name} a, {name} b)"
                f" {{ return porter_size_{helper}<{name}>(a, b); }}"
            )
        for helper in ("scale", "shl"):
            lines.append(
                f"{name} {helper}_{number}({name} a, unsigned long b)"
                f" {{ return porter_size_{helper}<{name}>(a, b); }}"
            )
        lines.append(f"{name} narrow_{number}(long a) {{ return porter_size_narrow<{name}>(a); }}")
        lines.append(
            f"{name} to_{number}({name} a, {name} b)"
            f" {{ return porter_size_add_to<{name}>(a, b), a; }}"
        )
    lines += ["long mask(unsigned a) { return porter_size_mask(a); }"]
    lines += ["unsigned long given(long a) { return porter_size_given(a); }", "}"]
    return "\n".join(lines)


# The only CUDA function that the device code calls, so that g++ compiles that code too.
DEVICE = """#define __CUDA_ARCH__ 900
static long __mul64hi(long a, long b) { return (long)((__int128)a * b >> 64); }
"""


@pytest.fixture(scope="module", params=["", DEVICE], ids=["host", "device"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CDLL:
    folder = tmp_path_factory.mktemp("sizes")
    (folder / "sizes.cpp").write_text(request.param + source())
    command = ["g++", *CXX_FLAGS, "-O2", "-shared", "-fPIC", f"-I{RUNTIME}", "sizes.cpp"]
    run_tool([*command, "-o", "sizes.so"], folder)
    return CDLL(str(folder / "sizes.so"))


def clamped(exact: int, width: int, signed: bool) -> int:
    """Return a helper's result for an exact result."""
    if width == 64:
        exact = max(-(1 << 63), min((1 << 63) - 1, exact))
    elif signed:
        exact = max(-(1 << 31), min((1 << 31) - 1, exact))
    else:
        exact = min((1 << 32) - 1, max(exact, -(1 << 63)))
    return held(exact, width, signed)


def held(value: int, width: int, signed: bool) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if signed and value >> (width - 1) else value


def pairs(width: int) -> list[tuple[int, int]]:
    chance = random.Random(width)
    found = [(a, b) for a in EDGES for b in EDGES]
    for _ in range(2000):
        a, b = (chance.getrandbits(chance.randrange(1, 65)) for _ in "ab")
        found.append((a, b))
    return found


@pytest.mark.parametrize("number", range(len(TYPES)), ids=list(TYPES))
@pytest.mark.parametrize("helper", ["add", "mul", "scale", "shl", "up", "narrow", "to"])
def test_a_helper(library: CDLL, helper: str, number: int) -> None:
    kind, width, signed = list(TYPES.values())[number]
    function = getattr(library, f"{helper}_{number}")
    function.restype = kind
    function.argtypes = [c_int64] if helper == "narrow" else [kind, kind]
    if helper in ("scale", "shl"):
        function.argtypes = [kind, c_uint64]
    for a, b in pairs(width):
        if helper == "narrow":
            if width == 64:
                return
            a = held(a, 64, True)
            assert function(a) == clamped(a, 32, signed), a
            continue
        # 64 bits count as signed, whatever the type is.
        a, b = (held(v, width, signed or width == 64) for v in (a, b))
        wanted = {"add": a + b, "to": a + b, "mul": a * b, "scale": a * b}.get(helper)
        if helper == "scale":
            b = b % 65000 + 1
            wanted = a * b
        elif helper == "shl":
            b %= 70
            wanted = a << b
        elif helper == "up":
            a, b = held(a, width, False), b % 4096
            if signed:
                continue
            most = held((1 << 63) - 1, width, False)
            assert function(a, b) == (a + b if a + b < 1 << width else most), (a, b)
            continue
        assert wanted is not None
        assert function(a, b) == clamped(wanted, width, signed), (a, b)


def test_masks_and_negative_numbers(library: CDLL) -> None:
    library.mask.restype = c_int64
    library.given.restype = c_uint64
    library.given.argtypes = [c_int64]
    assert library.mask(c_uint32(0xFFFFFFF8)) == -8
    assert [library.given(n) for n in (0, 5, 2**63 - 1)] == [0, 5, 2**63 - 1]
    assert {library.given(n) for n in (-1, -(2**63))} == {2**63 - 1}
