"""Places: names for the storage and operations that hold integers, unique in the program.

The nodes of the data flow graph of `integer_flow.py`. A *place* is a string:

    p:KEY#I    parameter I of the function KEY         r:KEY    the result of the function KEY
    P:TYPE#I   argument I of calls through a pointer   R:TYPE   the result of these calls
    v:NAME     a variable                              f:R.F    field F of the records R
    *PLACE     the target of a pointer or array        @UNIT:X  an operation X of a unit
"""

from __future__ import annotations

from clang.cindex import Cursor, Type

from porter.rewrite.queries import callee, is_choice, symbol_key
from porter.syntax.node import ALL_ARRAYS, INTEGERS, Node, TypeKind
from porter.syntax.node import CursorKind as K

_OPERATION = "@"
_STEPS = ("++", "--")
_LOOK_THROUGH = (K.PAREN_EXPR, K.UNEXPOSED_EXPR, K.CSTYLE_CAST_EXPR)

# The kinds of operations: an operator, a conversion to fewer bits, a passed or assigned value.
OPERATOR, NARROWED, GIVEN = "", "narrowed", "given"

COMPARED = "compared"  # the place of every size that a bounds check compares


def operation(node: Node, kind: str = OPERATOR) -> str:
    """Return the place of a node's result."""
    return f"{_OPERATION}{node.unit.name}:{node.start}-{node.end}{kind}"


def unit_of(place: str) -> str | None:
    """Return the unit of an operation's place, or None for any other place."""
    return place[1:].rpartition(":")[0] if place.startswith(_OPERATION) else None


def parameter(key: str, number: int) -> str:
    """Return the place of a function's parameter, counted from 0."""
    return f"p:{key}#{number}"


def result(key: str) -> str:
    """Return the place of a function's result."""
    return f"r:{key}"


def pointed(kind: Type, number: int) -> str:
    """Return the place of an argument of indirect calls to functions of a type."""
    return f"P:{kind.spelling}#{number}"


def pointed_result(kind: Type) -> str:
    """Return the place of the result of indirect calls to functions of a type."""
    return f"R:{kind.spelling}"


def field(record: Type, name: str) -> str:
    """Return the place of a field, shared by all records of the type."""
    words = str(record.get_canonical().spelling).split()
    return f"f:{' '.join(w for w in words if w not in ('const', 'volatile'))}.{name}"


def is_integer(node: Node) -> bool:
    """Return whether an expression is an integer."""
    return node.canonical.kind in INTEGERS


def is_counted(kind: Type) -> bool:
    """Return whether a type is an integer of at least 16 bits, or points to one."""
    kind = kind.get_canonical()
    if kind.kind == TypeKind.POINTER:
        kind = kind.get_pointee().get_canonical()
    while kind.kind in ALL_ARRAYS:
        kind = kind.element_type.get_canonical()
    return kind.kind in INTEGERS and bool(kind.get_size() >= 2)


def bare(node: Node) -> Node:
    """Return the expression below parentheses, conversions and casts."""
    while node.kind in _LOOK_THROUGH and node.children and not is_choice(node):
        node = node.children[-1]
    return node


def is_step(node: Node) -> bool:
    """Return whether an operator is `++` or `--`."""
    return node.text.startswith(_STEPS) or node.text.endswith(_STEPS)


def called_type(call: Node) -> Type | None:
    """Return the type of the functions that an indirect call reaches, or None for a builtin."""
    if not call.children or call.spelling.startswith("__builtin_"):
        return None
    kind = call.children[0].canonical
    return kind.get_pointee().get_canonical() if kind.kind == TypeKind.POINTER else kind


def argument_place(call: Node, number: int) -> str | None:
    """Return the place that a call's argument is passed to."""
    target = callee(call)
    if target is not None and target.referenced is not None:
        return parameter(symbol_key(call.unit.name, target.referenced), number)
    if call.spelling.startswith("__builtin_"):
        return parameter(call.spelling, number)
    kind = called_type(call)
    return None if kind is None else pointed(kind, number)


def result_place(call: Node) -> str | None:
    """Return the place that a call's value comes from."""
    target = callee(call)
    if target is not None and target.referenced is not None:
        return result(symbol_key(call.unit.name, target.referenced))
    kind = called_type(call)
    return None if kind is None else pointed_result(kind)


def variable(node: Node, cursor: Cursor) -> str:
    """Return the place of a variable or parameter that a node names."""
    unit = node.unit.name
    above = cursor.semantic_parent
    if cursor.kind == K.PARM_DECL and above is not None and above.kind == K.FUNCTION_DECL:
        starts = [one.location.offset for one in above.get_arguments()]
        if cursor.location.offset in starts:
            number = starts.index(cursor.location.offset)
            return parameter(symbol_key(unit, above), number)
    if cursor.kind == K.VAR_DECL and cursor.linkage.name in ("EXTERNAL", "INTERNAL"):
        return f"v:{symbol_key(unit, cursor)}"
    return f"v:{unit}@{cursor.location.offset}"


def place(node: Node) -> str | None:
    """Return the place of an lvalue, pointer or array expression, or None."""
    node = bare(node)
    if node.kind == K.DECL_REF_EXPR and node.referenced is not None:
        is_variable = node.referenced.kind in (K.VAR_DECL, K.PARM_DECL)
        return variable(node, node.referenced) if is_variable else None
    if node.kind == K.MEMBER_REF_EXPR and node.referenced is not None:
        record = node.referenced.semantic_parent
        return None if record is None else field(record.type, node.spelling)
    if node.kind == K.BINARY_OPERATOR and node.canonical.kind == TypeKind.POINTER:
        return place(node.children[0])  # a pointer that moved
    if node.kind == K.BINARY_OPERATOR and node.binary_operator() == "=":
        return place(node.children[0])
    if node.kind == K.UNARY_OPERATOR and is_step(node):
        return place(node.children[0])
    if node.kind == K.ARRAY_SUBSCRIPT_EXPR or node.text.startswith("*"):
        below = place(node.children[0]) if node.children else None
        return None if below is None else f"*{below}"
    return None
