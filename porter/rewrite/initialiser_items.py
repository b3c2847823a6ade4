"""Resolve the items of an initialiser list to the members that they set."""

from __future__ import annotations

import re

from attrs import frozen
from clang.cindex import Cursor, Type

from porter.rewrite.integer_values import constant_value
from porter.rewrite.queries import is_designated, strip
from porter.rewrite.spelling import cpp_name
from porter.syntax.node import ARRAYS, Node, TypeKind
from porter.syntax.node import CursorKind as K

_DESIGNATOR = re.compile(r"\s*\.\s*(\w+)|\s*\[")
_RANGE = re.compile(r"\s*\.\.\.")


@frozen
class Step:
    """A step into an object: the position of a member or element, and its C accessor."""

    index: int
    accessor: str
    union: bool = False


@frozen
class Slot:
    """An item of an initialiser list: the path to its member, and its value."""

    path: tuple[Step, ...]
    value: Node


class ElidedBraces(Exception):
    """An undesignated item initialises a nested aggregate whose braces are elided."""

    def __init__(self, node: Node) -> None:
        super().__init__(node.text)
        self.node = node


def fields(kind: Type) -> list[Cursor]:
    """Return the members of a record that an initialiser can set, in order."""
    return [f for f in kind.get_fields() if member_name(f) or not f.is_bitfield()]


def member_name(member: Cursor) -> str:
    """Return a member's name; empty for an anonymous struct or union."""
    name = str(member.spelling)
    return "" if "(" in name or " " in name else name


def is_union(kind: Type) -> bool:
    """Return whether a canonical type is a union."""
    return bool(kind.get_declaration().kind == K.UNION_DECL)


def is_aggregate(kind: Type) -> bool:
    """Return whether a canonical type is a record or an array."""
    return kind.kind == TypeKind.RECORD or kind.kind in ARRAYS


def slots(init_list: Node) -> list[Slot]:
    """Return the slots of a list's items, in source order.

    Raises:
        ElidedBraces: The place of an item depends on elided braces.
    """
    kind = init_list.canonical
    found: list[Slot] = []
    following = 0
    for item in init_list.children:
        if is_designated(item):
            paths = _designated_paths(item, kind)
            found += [Slot(path, item.children[-1]) for path in paths]
        else:
            step, member = _positional(kind, following)
            if is_aggregate(member) and not _fills(item, member):
                raise ElidedBraces(item)
            found.append(Slot((step,), item))
        following = found[-1].path[0].index + 1
    return found


def _fills(item: Node, member: Type) -> bool:
    """Return whether an item sets a whole aggregate: a list, a string or a value of the type."""
    if item.kind == K.INIT_LIST_EXPR or item.kind == K.STRING_LITERAL:
        return True
    value = strip(item)
    is_record = value.canonical.kind == member.kind == TypeKind.RECORD
    return bool(value.kind == K.STRING_LITERAL or is_record)


def _positional(kind: Type, index: int) -> tuple[Step, Type]:
    if kind.kind in ARRAYS:
        return Step(index, f"[{index}]"), kind.element_type.get_canonical()
    if kind.kind == TypeKind.RECORD:
        member = fields(kind)[index]
        name = member_name(member)
        step = Step(index, f".{cpp_name(name)}" if name else "", is_union(kind))
        return step, member.type.get_canonical()
    return Step(0, ""), kind  # a scalar in braces


def _designated_paths(item: Node, kind: Type) -> list[tuple[Step, ...]]:
    """Return the paths of a designated item; a GNU range has one path per index."""
    # For a member of an anonymous member, clang adds a designator that is not in the text.
    written = [node for node in item.children if node.kind != K.MEMBER_REF or node.spelling]
    text, value = item.unit.text, written.pop()
    position = max(text.rfind(mark, 0, written[0].start) for mark in ".[")
    indices = iter(written)
    paths: list[tuple[Step, ...]] = [()]
    while True:
        match = _DESIGNATOR.match(text, position, value.start)
        if match is None:
            return paths
        designator = next(indices)
        if match.group(1):
            steps, kind = _member_path(kind, match.group(1))
            paths = [(*path, *steps) for path in paths]
            position = match.end()
        else:
            first = last = _constant(designator)
            if _RANGE.match(text, designator.end):
                designator = next(indices)
                last = _constant(designator)
            elements = [Step(index, f"[{index}]") for index in range(first, last + 1)]
            paths = [(*path, element) for path in paths for element in elements]
            kind = kind.element_type.get_canonical()
            position = text.index("]", designator.end) + 1


def _member_path(kind: Type, name: str) -> tuple[list[Step], Type]:
    """Return the steps to a named member, through anonymous members, and its type."""
    for index, member in enumerate(fields(kind)):
        if member.spelling == name:
            return [Step(index, f".{cpp_name(name)}", is_union(kind))], member.type.get_canonical()
        if not member_name(member):
            inner = member.type.get_canonical()
            try:
                steps, found = _member_path(inner, name)
            except KeyError:
                continue
            return [Step(index, "", is_union(kind)), *steps], found
    raise KeyError(name)


def _constant(node: Node) -> int:
    """Return the value of an integer constant expression."""
    value = constant_value(node)
    if value is None:
        raise ValueError(node.text)
    return value
