"""Makes designated initialisers positional."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

from clang.cindex import Type

from porter.rewrite.edit import Edit, Span, replace
from porter.rewrite.layout import ElidedBraces, Slot, fields, is_designated, is_union, slots
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind, Unit

Tree = dict[int, Union[Node, "Tree"]]
_LONGEST = 65536  # items; a designated list longer than this is surely a mistake


class Initialisers(Rule):
    """Turns designators into plain items in declaration order, gaps into `{}`."""

    name = "initialisers"
    example = Example(
        "struct P { int x, y, z; }; struct P p = {.z = 3, .x = 1};",
        "struct P { int x, y, z; }; struct P p = {1, {}, 3};",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for node in unit.walk():
            if node.kind != K.INIT_LIST_EXPR:
                continue
            if any(is_designated(item) for item in node.children):
                yield replace(node.span, self.name, *self._positional(node))

    def _positional(self, node: Node) -> list[str | Span]:
        try:
            placed = slots(node)
        except ElidedBraces as error:
            raise self.refuse(error.node, "braces are left out beside a designator") from error
        tree: Tree = {}
        for slot in placed:
            self._place(tree, slot)
        return self._render(node, node.canonical, tree)

    def _place(self, tree: Tree, slot: Slot) -> None:
        for step in slot.path[:-1]:
            if step.union:
                tree.clear()
            below = tree.setdefault(step.index, {})
            if isinstance(below, Node):
                raise self.refuse(slot.value, "a designator reaches into an item set before")
            tree = below
        if slot.path[-1].union:
            tree.clear()
        tree[slot.path[-1].index] = slot.value

    def _render(self, node: Node, kind: Type, tree: Tree) -> list[str | Span]:
        last = max(tree)
        if last > _LONGEST:
            raise self.refuse(node, f"an initialiser list of {last + 1} items")
        parts: list[str | Span] = ["{"]
        indices = list(tree) if is_union(kind) else range(last + 1)
        for count, index in enumerate(indices):
            if count:
                parts.append(", ")
            if is_union(kind) and index > 0:
                parts.append(f".{fields(kind)[index].spelling} = ")
            item = tree.get(index)
            if item is None:
                parts.append("{}")
            elif isinstance(item, Node):
                parts.append(item.span)
            else:
                parts.extend(self._render(node, _member(kind, index), item))
        parts.append("}")
        return parts


def _member(kind: Type, index: int) -> Type:
    if kind.kind == TypeKind.RECORD:
        return fields(kind)[index].type.get_canonical()
    return kind.element_type.get_canonical()
