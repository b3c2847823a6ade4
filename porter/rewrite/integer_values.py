"""Values of integer expressions, from their syntax: constants, or a limit in bits.

libclang evaluates constant expressions. Limits decide which conversions and sums can overflow.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from clang.cindex import Cursor, conf

from porter.rewrite.queries import is_choice
from porter.syntax.node import SIGNED, Node, TypeKind
from porter.syntax.node import CursorKind as K

# libclang's C interface has the evaluator; its Python bindings do not declare it.
_evaluate = conf.lib.clang_Cursor_Evaluate
_evaluate.argtypes, _evaluate.restype = [Cursor], ctypes.c_void_p
_kind = conf.lib.clang_EvalResult_getKind
_kind.argtypes, _kind.restype = [ctypes.c_void_p], ctypes.c_int
_as_integer = conf.lib.clang_EvalResult_getAsLongLong
_as_integer.argtypes, _as_integer.restype = [ctypes.c_void_p], ctypes.c_longlong
_dispose = conf.lib.clang_EvalResult_dispose
_dispose.argtypes, _dispose.restype = [ctypes.c_void_p], None
_INTEGER = 1
_VARIABLES = (K.VAR_DECL, K.PARM_DECL)


def constant_value(node: Node) -> int | None:
    """Return the value of an integer constant expression, or None for any other expression."""
    for inner in node.walk():
        if inner.kind == K.CALL_EXPR or (
            inner.kind == K.DECL_REF_EXPR
            and inner.referenced is not None
            and inner.referenced.kind in _VARIABLES
            and not _is_unevaluated(inner, node)
        ):
            return None
    result = _evaluate(node.cursor)
    if not result:
        return None
    try:
        return int(_as_integer(result)) if _kind(result) == _INTEGER else None
    finally:
        _dispose(result)


def _is_unevaluated(inner: Node, outer: Node) -> bool:
    """Return whether a node is the operand of a sizeof inside `outer`."""
    for above in inner.ancestors():
        if above.kind == K.CXX_UNARY_EXPR:
            return True
        if above is outer:
            return False
    return False


_CONVERSIONS = (K.PAREN_EXPR, K.UNEXPOSED_EXPR, K.CSTYLE_CAST_EXPR)
_TRUTH = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_WIDEST = 64
_SIZEOF = 16  # bits of a sizeof: no type is larger than 64 KiB

_ARITHMETIC: dict[str, Callable[[int, int], int | None]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b if a >= 0 and b > 0 else None,
    "<<": lambda a, b: a << b if 0 <= b < _WIDEST else None,
    ">>": lambda a, b: a >> b if 0 <= b < _WIDEST else None,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}
_SIGNS: dict[str, Callable[[int], int]] = {"-": lambda a: -a, "~": lambda a: ~a, "+": lambda a: a}


def is_signed(node: Node) -> bool:
    """Return whether the type of an integer expression is signed."""
    return node.canonical.kind in SIGNED


def is_size_of(node: Node) -> bool:
    """Return whether an expression is a sizeof, below conversions."""
    while node.kind in _CONVERSIONS and node.children:
        node = node.children[-1]
    return node.kind == K.CXX_UNARY_EXPR and node.text.startswith("sizeof")


def is_fixed(node: Node) -> bool:
    """Return whether an expression is a positive constant of literals and sizeof."""
    value = constant(node)
    if value is not None:
        return value > 0
    while node.kind in _CONVERSIONS and node.children:
        node = node.children[-1]
    if node.kind == K.BINARY_OPERATOR and node.binary_operator() in "+*":
        return all(is_fixed(child) for child in node.children)
    return is_size_of(node)


def constant(node: Node) -> int | None:
    """Return the value of a constant of literals, enumerators and operators, or None."""
    value = _value(node)
    size = int(node.canonical.get_size())
    if value is None or size <= 0:
        return None
    value &= (1 << 8 * size) - 1
    return value - (1 << 8 * size) if is_signed(node) and value >> (8 * size - 1) else value


def _value(node: Node) -> int | None:
    if node.kind in _CONVERSIONS:
        return constant(node.children[-1]) if node.children and not is_choice(node) else None
    if node.kind == K.INTEGER_LITERAL:
        return _literal(node.text)
    if node.kind == K.DECL_REF_EXPR and node.referenced is not None:
        is_named = node.referenced.kind == K.ENUM_CONSTANT_DECL
        return int(node.referenced.enum_value) if is_named else None
    if node.kind == K.UNARY_OPERATOR and not node.text.startswith(("++", "--")):
        sign, below = _SIGNS.get(node.text[:1]), constant(node.children[0])
        return None if sign is None or below is None else sign(below)
    if node.kind == K.BINARY_OPERATOR:
        compute = _ARITHMETIC.get(node.binary_operator())
        left, right = (constant(child) for child in node.children)
        return None if compute is None or left is None or right is None else compute(left, right)
    return None


def _literal(text: str) -> int | None:
    digits = text.rstrip("uUlL")
    octal = len(digits) > 1 and digits.isdigit() and digits.startswith("0")
    try:
        return int(digits, 8 if octal else 0)
    except ValueError:
        return None


def bits(node: Node) -> int:
    """Return a number of bits that can hold the magnitude of an integer expression."""
    value = constant(node)
    if value is not None:
        return abs(value).bit_length()
    if is_size_of(node):
        return _SIZEOF
    if node.canonical.kind == TypeKind.BOOL:
        return 1
    own = 8 * max(1, int(node.canonical.get_size())) - is_signed(node)
    return min(own, exact_bits(node))


def exact_bits(node: Node) -> int:
    """Return the bits of an expression's exact result, before its type truncates it.

    The result is 64 or more if it is unknown.
    """
    if node.kind in _CONVERSIONS and node.children and not is_choice(node):
        below = node.children[-1]
        return bits(below) if _keeps(node, below) else _WIDEST
    if node.kind == K.CONDITIONAL_OPERATOR:
        return max(bits(branch) for branch in node.children[1:])
    if node.kind == K.BINARY_OPERATOR:
        return _operated(node)
    return _WIDEST


def _keeps(node: Node, below: Node) -> bool:
    """Return whether a conversion keeps the value; a negative value made unsigned is large."""
    if below.canonical.get_size() <= 0 or below.canonical.kind == TypeKind.POINTER:
        return False
    return not is_signed(below) or is_signed(node) or is_size_of(below)


def _operated(node: Node) -> int:
    operator = node.binary_operator()
    left, right = node.children
    by = constant(right)
    if operator in _TRUTH:
        return 1
    if operator == "+":
        return max(bits(left), bits(right)) + 1
    if operator == "*":
        return bits(left) + bits(right)
    if operator == "%":
        return bits(right)
    if operator == "&":
        return min((bits(c) for c in (left, right) if _is_positive(c)), default=_WIDEST)
    if by is None or by < 0:
        return bits(left) if operator in (">>", "/") else _WIDEST
    shift = {"<<": by, ">>": -by, "/": 1 - by.bit_length()}.get(operator)
    return _WIDEST if shift is None else max(0, bits(left) + shift)


def _is_positive(node: Node) -> bool:
    value = constant(node)
    return not is_signed(node) if value is None else value > 0
