"""Moves types that are defined inside an expression out of it."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, replace
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.syntax.kinds import RECORDS
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, Unit


class Types(Rule):
    """Names a struct that is defined inside sizeof, offsetof or a cast, before its function."""

    name = "types"
    example = Example(
        "int f(void) { return sizeof(struct { char c; int i; }); }",
        "struct type_28_ { char c; int i; }; int f(void) { return sizeof(type_28_); }",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for node in unit.walk():
            above = node.parent
            if node.kind in RECORDS and above is not None and above.kind.is_expression():
                yield from self._move(node)

    def _move(self, node: Node) -> Iterator[Edit]:
        if not node.cursor.is_anonymous() and node.spelling and "unnamed" not in node.spelling:
            raise self.refuse(node, "a type with a name is defined inside an expression")
        keyword = "union" if node.kind == K.UNION_DECL else "struct"
        name = f"type_{node.start}_"
        top = list(node.ancestors())[-1]
        head = f"{keyword} {name} {node.text.removeprefix(keyword).lstrip()}; "
        yield Edit(top.start, top.start, (head,), self.name)
        yield replace(node.span, self.name, name)
