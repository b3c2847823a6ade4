"""Rules that call the runtime: compiler builtins that device code lacks, and integer division.

A CPU that traps on a division by zero would end the process and with it all interpreters.
"""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, replace
from porter.rewrite.integer_flow import is_integer
from porter.rewrite.integer_values import constant_value
from porter.rewrite.rule import Example, Rule, on
from porter.rewrite.spelling import BUILTIN, TOKEN, spell
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, Span

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


_HELPERS = {"/": "porter_quotient", "%": "porter_remainder"}


class Divisions(Rule):
    """Replaces `/` and `%` of integers by functions that do not trap."""

    name = "divisions"
    example = Example(
        "int f(int a, int b) { return a / b + a % 10; }",
        "int f(int a, int b) { return porter_quotient<int>(a, b) + a % 10; }",
    )

    @on(K.BINARY_OPERATOR)
    def operator(self, node: Node) -> Iterator[Edit]:
        """Replace a division whose divisor is not a constant."""
        helper = _HELPERS.get(node.binary_operator())
        if helper is None or not is_integer(node) or _is_fixed(node.children[1]):
            return
        left, right = node.children
        call = f"{helper}<{spell(node.canonical)}>("
        yield replace(node.span, self.name, call, left.span, ", ", right.span, ")")

    @on(K.COMPOUND_ASSIGNMENT_OPERATOR)
    def compound(self, node: Node) -> Iterator[Edit]:
        """Replace `a /= b` and `a %= b`."""
        helper = _HELPERS.get(node.binary_operator()[:-1])
        left, right = node.children
        if helper is None or not (is_integer(left) and is_integer(right)) or _is_fixed(right):
            return
        call = f"{helper}_to("
        yield replace(node.span, self.name, call, left.span, ", ", right.span, ")")


def _is_fixed(divisor: Node) -> bool:
    """Return whether a divisor is a constant other than 0 and -1."""
    return constant_value(divisor) not in (None, 0, -1)
