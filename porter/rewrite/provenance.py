"""Where a unit's integers come from and go to, as far as they may become addresses.

A *source* is a string: a variable, a field, a parameter (`p:function#0`), what a function returns
(`r:function`), what stands behind a pointer (`*source`), a root, or OWN, the integer that the
program made of a pointer itself. A *root* is where an integer of a Python program, or a pointer to
bytes of it, enters C.
"""

from __future__ import annotations

import re

from attrs import field, frozen
from clang.cindex import Cursor, Type

from porter.rewrite.magnitudes import constant
from porter.rewrite.queries import strip
from porter.syntax.kinds import ALL_ARRAYS, INTEGERS
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind

OWN = "@"
# Upstream's type of a Python object, however the configuration represents it.
_OBJECT = re.compile(r"\bmp_(const_)?obj_t\b")
Place = tuple[int, int]


@frozen
class Root:
    """Where what a program chose enters C. `kind`: call, bytes, or untag (a small integer)."""

    source: str
    kind: str
    function: str
    place: Place


@frozen
class Conversion:
    """A cast to a pointer or an object. `function` holds it, `place` are the offsets of it.

    A source `p:f#1|0=2` is parameter 1 of calls whose argument 0 is or may be 2.
    """

    sources: tuple[str, ...]
    to_object: bool
    function: str
    place: Place


@frozen
class Argument:
    """An argument of a call. `to`: the function's key, or its signature for a call by pointer.

    `constants`: positions and values of the call's arguments that are literals.
    """

    to: str
    by_pointer: bool
    position: int
    source: str
    constants: tuple[tuple[int, int], ...]


@frozen
class Provenance:
    """Where the integers and addresses of a unit come from.

    `signatures`: of the functions that it defines, by key.

    `readers`: its functions that read through a reader.
    """

    edges: tuple[tuple[str, str], ...] = field(factory=tuple)
    roots: tuple[Root, ...] = field(factory=tuple)
    conversions: tuple[Conversion, ...] = field(factory=tuple)
    arguments: tuple[Argument, ...] = field(factory=tuple)
    signatures: tuple[tuple[str, str], ...] = field(factory=tuple)
    readers: tuple[str, ...] = field(factory=tuple)


def is_object(kind: Type) -> bool:
    """Whether a type is that of a Python object."""
    spelled = kind.spelling
    return "*" not in spelled and "[" not in spelled and _OBJECT.search(spelled) is not None


def is_integer(kind: Type) -> bool:
    """Whether a type is an integer that can hold an address, and no Python object."""
    canonical = kind.get_canonical().kind
    return canonical in INTEGERS and canonical != TypeKind.BOOL and not is_object(kind)


def is_pointer(kind: Type) -> bool:
    """Whether a type is a pointer or an array."""
    canonical = kind.get_canonical().kind
    return canonical == TypeKind.POINTER or canonical in ALL_ARRAYS


def reads_object(function: Cursor) -> bool:
    """Whether a function's type says that it makes an integer of a Python object."""
    kind = function.type
    return (
        kind.kind == TypeKind.FUNCTIONPROTO
        and is_integer(kind.get_result())
        and any(is_object(argument) for argument in kind.argument_types())
    )


def is_followed(kind: Type) -> bool:
    """Whether values of a type are followed: integers, and pointers to bytes."""
    return is_integer(kind) or is_pointer(kind)


def is_tag(*operands: Node) -> bool:
    """Whether one of two operands is a constant that makes no address of the other one."""
    return any(
        node.kind == K.INTEGER_LITERAL and constant(node) not in (None, 0)
        for node in map(strip, operands)
    )


def reinterprets(node: Node, operand: Node) -> bool:
    """Whether a cast reads pointers or objects where its operand has bytes, and keeps them.

    What is only stored through it, and a pointer that becomes an integer at once, is not read.
    """
    if not is_pointer(node.type) or not is_pointer(operand.type):
        return False
    if not _points_to_pointers(node.type) or _points_to_pointers(operand.type):
        return False
    used = node.parent
    while used is not None and used.kind in (K.PAREN_EXPR, K.UNEXPOSED_EXPR):
        used = used.parent
    if used is None or used.kind not in (K.ARRAY_SUBSCRIPT_EXPR, K.UNARY_OPERATOR):
        return True
    above = used.parent
    while above is not None and above.kind in (K.PAREN_EXPR, K.UNEXPOSED_EXPR):
        above = above.parent
    if above is None:
        return True
    if above.kind == K.CSTYLE_CAST_EXPR and is_integer(above.type):
        return False
    stored = above.kind == K.BINARY_OPERATOR and above.binary_operator() == "="
    return not (stored and strip(above.children[0]) is used)


def _points_to_pointers(kind: Type) -> bool:
    canonical = kind.get_canonical()
    below = kind.get_pointee() if canonical.kind == TypeKind.POINTER else kind.element_type
    spelled = kind.spelling
    is_objects = _OBJECT.search(spelled) is not None and spelled.count("*") == 1
    return bool(is_objects or below.get_canonical().kind == TypeKind.POINTER)
