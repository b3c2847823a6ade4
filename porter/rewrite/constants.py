"""The values of constant expressions, as libclang evaluates them."""

from __future__ import annotations

import ctypes

from clang.cindex import Cursor, conf

from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node

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
