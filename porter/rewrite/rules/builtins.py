"""Gives the compilers' builtins that device code lacks bodies of ours."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, replace
from porter.rewrite.names import BUILTIN, TOKEN
from porter.rewrite.rule import Example, Rule
from porter.syntax.span import Span

# What nvcc and g++ both take, and understand alike; tests compile each with both.
_COMPILERS_TEXT = """
    alloca abs assume_aligned copysign expect fabs floor huge_val huge_valf inf inff isfinite
    isinf isnan labs memcpy memset nan nanf offsetof signbit sqrt unreachable
    va_arg va_copy va_end va_list va_start
"""
COMPILERS = frozenset(BUILTIN + name for name in _COMPILERS_TEXT.split())

# templates/runtime/builtins.inc holds their bodies (`body_of` names them). Those that take operands
# of any type are templates there.
OURS = frozenset(
    BUILTIN + name
    for name in (
        *(f"{name}{width}" for name in ("clz", "ctz", "popcount", "parity", "ffs", "clrsb")
          for width in ("", "l", "ll")),
        *(f"bswap{bits}" for bits in (16, 32, 64)),
        *(f"{operation}_overflow{kind}" for operation in ("add", "sub", "mul")
          for kind in ("", "_p")),
        *(f"{sign}{operation}{width}_overflow" for sign in "su"
          for operation in ("add", "sub", "mul") for width in ("", "l", "ll")),
        "constant_p",
        "expect_with_probability",
        *(f"is{relation}" for relation in
          ("greater", "greaterequal", "less", "lessequal", "lessgreater", "unordered", "normal")),
        *("memcmp", "memmove", "strlen"),
    )
)  # fmt: skip


def body_of(builtin: str) -> str:
    """The name of our body of a builtin in OURS."""
    return "porter_builtin_" + builtin.removeprefix(BUILTIN)


class Builtins(Rule):
    """Replaces the compiler's builtins that device code lacks; refuses those that nobody knows."""

    name = "builtins"
    example = Example(
        "int f(int a, int b, int *r) { return __builtin_mul_overflow(a, b, r); }",
        "int f(int a, int b, int *r) { return porter_builtin_mul_overflow(a, b, r); }",
    )

    def before_walk(self) -> Iterator[Edit]:
        """Reads words, for libclang shows no node for some of the builtins."""
        for match in TOKEN.finditer(self.unit.text):
            word = match.group()
            if not word.startswith(BUILTIN) or word in COMPILERS:
                continue
            span = Span(*match.span())
            if word not in OURS:
                raise self.refuse_at(span, "a builtin that device code may lack")
            yield replace(span, self.name, body_of(word))
