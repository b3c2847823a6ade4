"""Rule `builtins`: replace compiler builtins that device code lacks with runtime functions."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, replace
from porter.rewrite.names import BUILTIN, TOKEN
from porter.rewrite.rule import Example, Rule
from porter.syntax.span import Span

# Builtins that nvcc and g++ both accept, with equal semantics; tests compile each with both.
_COMPILERS_TEXT = """
    alloca abs assume_aligned copysign expect fabs floor huge_val huge_valf inf inff isfinite
    isinf isnan labs memcpy memset nan nanf offsetof signbit sqrt unreachable
    va_arg va_copy va_end va_list va_start
"""
COMPILERS = frozenset(BUILTIN + name for name in _COMPILERS_TEXT.split())

# Builtins that templates/runtime/builtins.inc implements, under the names that `body_of` returns.
# Builtins with operands of any type are templates there.
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
    """Return the name of the runtime function that implements a builtin in OURS."""
    return "porter_builtin_" + builtin.removeprefix(BUILTIN)


class Builtins(Rule):
    """Replaces compiler builtins that device code lacks; refuses unknown builtins."""

    name = "builtins"
    example = Example(
        "int f(int a, int b, int *r) { return __builtin_mul_overflow(a, b, r); }",
        "int f(int a, int b, int *r) { return porter_builtin_mul_overflow(a, b, r); }",
    )

    def before_walk(self) -> Iterator[Edit]:
        """Replace builtins by token, because libclang has no node for some of them."""
        for match in TOKEN.finditer(self.unit.text):
            word = match.group()
            if not word.startswith(BUILTIN) or word in COMPILERS:
                continue
            span = Span(*match.span())
            if word not in OURS:
                raise self.refuse_at(span, "a builtin that device code may lack")
            yield replace(span, self.name, body_of(word))
