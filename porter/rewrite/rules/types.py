"""Rule `types`: move types that an expression defines before their function."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, insert, replace
from porter.rewrite.rule import Example, Rule, on
from porter.syntax.kinds import RECORDS
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node


class Types(Rule):
    """Moves a struct defined in sizeof, offsetof or a cast before its function, and names it."""

    name = "types"
    example = Example(
        "int f(void) { return sizeof(struct { char c; int i; }); }",
        "struct type_28_ { char c; int i; }; int f(void) { return sizeof(type_28_); }",
    )

    @on(*RECORDS)
    def record(self, node: Node) -> Iterator[Edit]:
        """Move a type that an expression defines."""
        if node.parent is None or not node.parent.kind.is_expression():
            return
        if not node.cursor.is_anonymous() and node.spelling and "unnamed" not in node.spelling:
            raise self.refuse(node, "a type with a name is defined inside an expression")
        keyword = "union" if node.kind == K.UNION_DECL else "struct"
        name = f"type_{node.start}_"
        head = f"{keyword} {name} {node.text.removeprefix(keyword).lstrip()}; "
        yield insert(node.top().start, head, self.name)
        yield replace(node.span, self.name, name)
