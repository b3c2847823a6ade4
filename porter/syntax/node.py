"""The syntax tree of a unit: libclang's cursors with offsets, parents and cached types.

Line markers of the preprocessed text map each offset to a location in upstream's files.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from attrs import frozen
from clang.cindex import Cursor, CursorKind, Type, TypeKind


@frozen(order=True)
class Span:
    """A half-open range of offsets in a unit's text."""

    start: int
    end: int

    def holds(self, inner: Span) -> bool:
        """Return whether `inner` lies in this range; equal borders are inside."""
        return self.start <= inner.start and inner.end <= self.end


MARKER = re.compile(r'# (\d+) "((?:[^"\\]|\\.)*)"')


def line_table(text: str) -> list[tuple[int, str, int]]:
    """Return (offset of the line's start, upstream file, upstream line) for each line of `text`."""
    table: list[tuple[int, str, int]] = []
    file, line, offset = "", 1, 0
    for raw in text.split("\n"):
        marker = MARKER.match(raw)
        if marker:
            line, file = int(marker.group(1)) - 1, marker.group(2)
        table.append((offset, file, line))
        line += 1
        offset += len(raw) + 1
    return table


def locate(table: list[tuple[int, str, int]], offset: int) -> tuple[str, int, int]:
    """Return the upstream file, line and column of an offset."""
    start, file, line = table[bisect_right(table, offset, key=lambda row: row[0]) - 1]
    return file, line, offset - start + 1


RECORDS = (CursorKind.STRUCT_DECL, CursorKind.UNION_DECL)
TAGS = (*RECORDS, CursorKind.ENUM_DECL)
LOOPS = (CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT)

ARRAYS = (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY)  # of known length, or not yet known
ALL_ARRAYS = (*ARRAYS, TypeKind.VARIABLEARRAY)
FLOATS = frozenset({TypeKind.FLOAT, TypeKind.DOUBLE})
SIGNED = frozenset(
    {
        TypeKind.CHAR_S,
        TypeKind.SCHAR,
        TypeKind.SHORT,
        TypeKind.INT,
        TypeKind.LONG,
        TypeKind.LONGLONG,
    }
)
INTEGERS = frozenset(
    {
        TypeKind.BOOL,
        TypeKind.CHAR_U,
        TypeKind.UCHAR,
        TypeKind.USHORT,
        TypeKind.UINT,
        TypeKind.ULONG,
        TypeKind.ULONGLONG,
        *SIGNED,
        TypeKind.ENUM,
    }
)


class Node:
    """A cursor: its kind, its half-open range of offsets in the unit's text, and its children."""

    __slots__ = ("__dict__", "children", "cursor", "end", "kind", "parent", "start", "unit")

    def __init__(self, unit: Unit, cursor: Cursor, parent: Node | None) -> None:
        self.unit = unit
        self.cursor = cursor
        self.parent = parent
        self.kind: CursorKind = cursor.kind
        extent = cursor.extent
        self.start: int = extent.start.offset
        self.end: int = extent.end.offset
        self.children: list[Node] = []

    @property
    def span(self) -> Span:
        """The node's range."""
        return Span(self.start, self.end)

    @property
    def text(self) -> str:
        """The node's source text."""
        return self.unit.text[self.start : self.end]

    @cached_property
    def spelling(self) -> str:
        """The name that a declaration introduces or a reference uses."""
        return str(self.cursor.spelling)

    @cached_property
    def type(self) -> Type:
        """The node's C type, as written."""
        return self.cursor.type

    @cached_property
    def canonical(self) -> Type:
        """The node's C type with every typedef resolved."""
        return self.cursor.type.get_canonical()

    @cached_property
    def referenced(self) -> Cursor | None:
        """The declaration that a reference or call resolves to, if any."""
        return self.cursor.referenced

    def walk(self, enter: Callable[[Node], bool] | None = None) -> Iterator[Node]:
        """Yield this node and all nodes below it, parents first.

        Args:
            enter: Called for each node; False skips the nodes below it.
        """
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            if enter is None or enter(node):
                stack.extend(reversed(node.children))

    def ancestors(self) -> Iterator[Node]:
        """Yield the nodes around this node, innermost first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def top(self) -> Node:
        """Return the top-level declaration that contains this node."""
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    def binary_operator(self) -> str:
        """Return the operator token of a binary or compound assignment expression."""
        left, right = self.children[0], self.children[1]
        return self.unit.code_between(left.end, right.start).strip().strip("()").strip()


class Unit:
    """A parsed unit: its name, text, translation unit and the nodes of its declarations."""

    def __init__(self, name: str, text: str, translation_unit: Any) -> None:
        self.name = name
        self.text = text
        self.translation_unit = translation_unit
        self.declarations: list[Node] = []

    @cached_property
    def _line_starts(self) -> list[tuple[int, str, int]]:
        return line_table(self.text)

    def location(self, offset: int) -> tuple[str, int, int]:
        """Return the upstream file, line and column of an offset."""
        return locate(self._line_starts, offset)

    def code_between(self, start: int, end: int) -> str:
        """Return the text between two offsets without line markers."""
        return "\n".join(
            line for line in self.text[start:end].split("\n") if not line.startswith("# ")
        )

    def walk(self, enter: Callable[[Node], bool] | None = None) -> Iterator[Node]:
        """Yield every node of the unit, in order; see `Node.walk`."""
        for declaration in self.declarations:
            yield from declaration.walk(enter)


__all__ = ["CursorKind", "Node", "TypeKind", "Unit"]
