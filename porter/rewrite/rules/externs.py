"""Moves declarations of external names out of functions."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, replace
from porter.rewrite.facts import symbol_key
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Unit


class Externs(Rule):
    """Moves `extern` declarations in a function before it, where they can be marked."""

    name = "externs"
    example = Example(
        "int f(void) { extern const int k; return k; }",
        "PORTER_DEVICE extern const int k; int f(void) { ; return k; }",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for top in unit.declarations:
            if top.kind != K.FUNCTION_DECL:
                continue
            for node in top.walk():
                if node.parent is None or node.parent.kind != K.DECL_STMT:
                    continue
                if node.kind == K.FUNCTION_DECL or (
                    node.kind == K.VAR_DECL
                    and node.cursor.storage_class.name == "EXTERN"
                    and symbol_key(unit.name, node.cursor) not in program.state
                ):
                    if len(node.parent.children) != 1:
                        raise self.refuse(node, "several external names in one declaration")
                    head = f"PORTER_DEVICE {node.text}; "
                    yield Edit(top.start, top.start, (head,), self.name)
                    yield replace(node.span, self.name)
