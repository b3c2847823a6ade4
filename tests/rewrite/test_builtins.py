"""Porter's bodies of compiler builtins agree with g++'s, and nvcc accepts the others."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from porter.rewrite.rules.runtime_calls import COMPILERS, OURS, body_of
from tests.rewrite.support import CXX_FLAGS, NVCC_FLAGS, RUNTIME

HEAD = f'#define PORTER_DEVICE DEVICE\n#include "{RUNTIME}/builtins.inc"\n'
VALUES = """
template <class T> static T pick(unsigned long long &x) {
    static const unsigned long long edges[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff,
        0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, -1ull};
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    const unsigned choice = (unsigned)(x >> 59);
    return choice < 15 ? (T)edges[choice] : (T)(x >> (x >> 58 & 63));
}
"""
INTEGERS = {"": ("int", "unsigned int"), "l": ("long", "unsigned long"),
            "ll": ("long long", "unsigned long long")}  # fmt: skip
GENERIC = ("signed char", "unsigned char", "short", "unsigned", "long", "unsigned long long")


def bits(name: str, kind: str, zero: bool) -> str:
    """Return C++ that compares one integer builtin with g++'s."""
    guard = "" if zero else "if (v != 0) "
    return (
        f"{{ {kind} v = pick<{kind}>(x); {guard}"
        f"if (porter_builtin_{name}(v) != __builtin_{name}(v)) return __LINE__; }}\n"
    )


def overflow(name: str, left: str, right: str, result: str) -> str:
    """Return C++ that compares one overflow check with g++'s, including the stored result."""
    return (
        f"{{ {left} a = pick<{left}>(x); {right} b = pick<{right}>(x); {result} r, s;\n"
        f"if (porter_builtin_{name}(a, b, &r) != __builtin_{name}(a, b, &s) || r != s)"
        " return __LINE__; }\n"
    )


def checks() -> list[str]:
    """Return a check for each builtin with a body, for several types if it is generic."""
    found = []
    for width, (signed, unsigned) in INTEGERS.items():
        found += [bits(name + width, unsigned, False) for name in ("clz", "ctz")]
        found += [bits(name + width, unsigned, True) for name in ("popcount", "parity")]
        found += [bits(name + width, signed, True) for name in ("ffs", "clrsb")]
        for operation in ("add", "sub", "mul"):
            for sign, kind in (("s", signed), ("u", unsigned)):
                found.append(overflow(f"{sign}{operation}{width}_overflow", kind, kind, kind))
    for size, kind in ((16, "unsigned short"), (32, "unsigned"), (64, "unsigned long")):
        found.append(bits(f"bswap{size}", kind, True))
    for operation in ("add", "sub", "mul"):
        for left in GENERIC:
            for right in GENERIC:
                found += [overflow(f"{operation}_overflow", left, right, kind) for kind in GENERIC]
        name = f"{operation}_overflow_p"
        found.append(
            "{ long a = pick<long>(x); unsigned b = pick<unsigned>(x); if (porter_builtin_"
            f"{name}(a, b, (short)0) != __builtin_{name}(a, b, (short)0)) return __LINE__; }}\n"
        )
    for relation in ("greater", "greaterequal", "less", "lessequal", "lessgreater", "unordered"):
        found.append(
            "for (double a : floats) for (double b : floats) if (porter_builtin_is"
            f"{relation}(a, b) != __builtin_is{relation}(a, b)) return __LINE__;\n"
        )
    found.append(
        "for (double a : floats) { float b = (float)a;\n"
        "if (porter_builtin_isnormal(a) != !!__builtin_isnormal(a)) return __LINE__;\n"
        "if (porter_builtin_isnormal(b) != !!__builtin_isnormal(b)) return __LINE__; }\n"
    )
    found.append(
        'if (porter_builtin_strlen("") != 0) return __LINE__;\n'
        'if (porter_builtin_strlen("abc") != 3) return __LINE__;\n'
        'if (porter_builtin_memcmp("ab", "ac", 2) >= 0 || porter_builtin_memcmp("ab", "ac", 1)'
        ' || porter_builtin_memcmp("\\xff", "a", 1) <= 0) return __LINE__;\n'
        '{ char t[] = "abcdef"; porter_builtin_memmove(t + 1, t, 4);\n'
        'if (porter_builtin_memcmp(t, "aabcdf", 7)) return __LINE__;\n'
        "porter_builtin_memmove(t, t + 1, 4);\n"
        'if (porter_builtin_memcmp(t, "abcddf", 7)) return __LINE__; }\n'
        "if (porter_builtin_constant_p(x) != 0) return __LINE__;\n"
        "if (porter_builtin_expect_with_probability(7, 1, 0.5) != 7) return __LINE__;\n"
    )
    return found


def test_bodies_agree_with_the_compiler(tmp_path: Path) -> None:
    text = "".join(checks())
    missing = [name for name in sorted(OURS) if body_of(name) not in text]
    assert not missing
    source = tmp_path / "main.cpp"
    source.write_text(
        "#define DEVICE\n" + HEAD + VALUES + "int main() { unsigned long long x = 1;\n"
        "const double floats[] = {0.0, -0.0, 1.0, -1.0, 4.9e-324, 1e-310, 2.3e-308, 1.2e-38, 1e-45,"
        '1e308, __builtin_inf(), -__builtin_inf(), __builtin_nan("")};\n'
        "for (int i = 0; i < 3000; i++) {\n" + text + "} return 0; }\n"
    )
    # 2 of the standard's widths: wrapping conversions are g++'s and nvcc's own.
    subprocess.run(["g++", *CXX_FLAGS, "-O1", source, "-o", tmp_path / "main"], check=True)
    assert subprocess.run([tmp_path / "main"]).returncode == 0


# A use of each builtin that the compilers implement.
USES = {
    "alloca": "char *q = (char *)__builtin_alloca(x); q[0] = 1; return q[x - 1];",
    "abs": "return __builtin_abs(x);",
    "assume_aligned": "return *(int *)__builtin_assume_aligned(p, 8);",
    "copysign": "return __builtin_copysign(d, -1.0) < 0;",
    "expect": "return __builtin_expect(x, 0);",
    "fabs": "return __builtin_fabs(d) > 1;",
    "floor": "return __builtin_floor(d) > 1;",
    "huge_val": "return d > __builtin_huge_val();",
    "huge_valf": "return d > __builtin_huge_valf();",
    "inf": "return d > __builtin_inf();",
    "inff": "return d > __builtin_inff();",
    "isfinite": "return __builtin_isfinite(d);",
    "isinf": "return __builtin_isinf(d);",
    "isnan": "return __builtin_isnan(d);",
    "labs": "return (int)__builtin_labs((long)x);",
    "memcpy": "int y; __builtin_memcpy(&y, p, 4); return y;",
    "memset": "int y; __builtin_memset(&y, 0, 4); return y;",
    "nan": 'return d > __builtin_nan("");',
    "nanf": 'return d > __builtin_nanf("");',
    "offsetof": "struct s { int a, b; }; return __builtin_offsetof(struct s, b);",
    "signbit": "return __builtin_signbit(d);",
    "sqrt": "return __builtin_sqrt(d) > 1;",
    "unreachable": "if (x) __builtin_unreachable(); return 1;",
    "va_arg": "__builtin_va_list a, b; __builtin_va_start(a, d); __builtin_va_copy(b, a); "
    "x = __builtin_va_arg(b, int); __builtin_va_end(b); __builtin_va_end(a); return x;",
}


def test_every_builtin_of_the_compilers_is_used() -> None:
    assert {name for name in COMPILERS if name not in " ".join(USES.values())} == set()


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
def test_device_code_takes_them_all(tmp_path: Path) -> None:
    functions = [
        f'extern "C" DEVICE int use_{name}(int x, int *p, double d, ...) {{ {body} }}\n'
        for name, body in USES.items()
    ]
    own = [check.replace("__builtin", "porter_builtin").replace("porter_porter", "porter")
           for check in checks()]  # fmt: skip
    text = "".join(own).replace("return __LINE__", "return 1")
    source = tmp_path / "uses.cu"
    source.write_text(
        "#define DEVICE __device__\n" + HEAD + VALUES.replace("static T", "static DEVICE T")
        .replace("static const unsigned", "const unsigned")
        + "".join(functions)
        + "extern \"C\" DEVICE int own(unsigned long long x) { const double floats[] = {0.0};\n"
        + text + "return 0; }\n"
    )  # fmt: skip
    ptx = tmp_path / "uses.ptx"
    command = ["nvcc", *NVCC_FLAGS, str(source), "-o", str(ptx)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # An external function would be missing in device code.
    assert ".extern" not in ptx.read_text()
