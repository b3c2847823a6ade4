"""Provenance of integers in a unit, for the taint analysis of addresses (`addresses.py`).

A *source* is a string: a variable, a field, a parameter (`p:function#0`), the result of a function
(`r:function`), the target of a pointer (`*source`), a root, or OWN, an integer that C converted
from a pointer. A *root* is a place where an integer of a Python program, or a pointer to bytes that
the program writes, enters C.

This module defines the facts and the predicates on types; `provenance_reader.py` collects them.
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
# Upstream's type of a Python object, independent of the object representation.
_OBJECT = re.compile(r"\bmp_(const_)?obj_t\b")
Place = tuple[int, int]


@frozen
class Root:
    """A place where a value that a Python program chose enters C.

    Attributes:
        source: The name of this source.
        kind: `call`, `bytes`, or `untag` (a small integer whose tag is shifted out).
        function: The key of the enclosing function.
        place: The range of the expression, in offsets.
    """

    source: str
    kind: str
    function: str
    place: Place


@frozen
class Conversion:
    """A cast to a pointer or an object.

    Attributes:
        sources: The sources of the operand. `p:f#1|0=2` is parameter 1 in calls of `f` whose
            argument 0 may be 2.
        to_object: Whether the cast makes a Python object.
        function: The key of the enclosing function.
        place: The range of the cast, in offsets.
    """

    sources: tuple[str, ...]
    to_object: bool
    function: str
    place: Place


@frozen
class Argument:
    """An argument of a call.

    Attributes:
        to: The key of the function, or the signature for a call through a pointer.
        by_pointer: Whether the call goes through a pointer.
        position: The position of the argument, from 0.
        source: A source of the argument.
        constants: Positions and values of the literal arguments of the call.
    """

    to: str
    by_pointer: bool
    position: int
    source: str
    constants: tuple[tuple[int, int], ...]


@frozen
class Provenance:
    """The provenance facts of a unit.

    Attributes:
        edges: Flows, as (source, destination).
        roots: The places where values of the Python program enter C.
        conversions: The casts to pointers and objects.
        arguments: The arguments of calls.
        signatures: The functions that the unit defines, as (key, signature).
        readers: The keys of functions with an `mp_reader_t *` parameter.
    """

    edges: tuple[tuple[str, str], ...] = field(factory=tuple)
    roots: tuple[Root, ...] = field(factory=tuple)
    conversions: tuple[Conversion, ...] = field(factory=tuple)
    arguments: tuple[Argument, ...] = field(factory=tuple)
    signatures: tuple[tuple[str, str], ...] = field(factory=tuple)
    readers: tuple[str, ...] = field(factory=tuple)


def is_object(kind: Type) -> bool:
    """Return whether a type is that of a Python object."""
    spelled = kind.spelling
    return "*" not in spelled and "[" not in spelled and _OBJECT.search(spelled) is not None


def is_integer(kind: Type) -> bool:
    """Return whether a type is an integer other than bool and Python objects."""
    canonical = kind.get_canonical().kind
    return canonical in INTEGERS and canonical != TypeKind.BOOL and not is_object(kind)


def is_pointer(kind: Type) -> bool:
    """Return whether a type is a pointer or an array."""
    canonical = kind.get_canonical().kind
    return canonical == TypeKind.POINTER or canonical in ALL_ARRAYS


def reads_object(function: Cursor) -> bool:
    """Return whether a function takes a Python object and returns an integer."""
    kind = function.type
    return (
        kind.kind == TypeKind.FUNCTIONPROTO
        and is_integer(kind.get_result())
        and any(is_object(argument) for argument in kind.argument_types())
    )


def is_followed(kind: Type) -> bool:
    """Return whether the analysis follows values of a type: integers and pointers."""
    return is_integer(kind) or is_pointer(kind)


def is_tag(*operands: Node) -> bool:
    """Return whether one of two operands is a nonzero literal, as in tagging a small integer."""
    return any(
        node.kind == K.INTEGER_LITERAL and constant(node) not in (None, 0)
        for node in map(strip, operands)
    )


def reinterprets(node: Node, operand: Node) -> bool:
    """Return whether a cast gives access to pointers or objects in the operand's bytes.

    A cast that is used only for a store does not count. Neither does one whose loaded pointer is
    converted to an integer at once.
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
